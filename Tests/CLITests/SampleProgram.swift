import CLI

/// A small program with one of everything that a table can hold.
let sample = ProgramSpec(
  name: "tokctl", version: "1.2.3", date: "November 30, 2026", summary: "keep tokens fresh",
  description: [
    "The tokctl program keeps tokens. It is a sample, so it keeps none.",
    "It has a second paragraph. A line may begin with a dot: .TH is harmless, and so is a \\fBbackslash\\fR.",
  ],
  commands: [
    CommandSpec(
      name: "token", summary: "print a valid token",
      discussion: "Prints one line. It refreshes first if need be.\n\n.Fl in the text is text, \"quotes\" are quotes.",
      operands: [
        OperandSpec("PROVIDER[/ACCOUNT]", arity: .required, completion: .dynamic("accounts"), help: "whose token")
      ],
      options: [
        OptionSpec(
          "min-valid", value: .required(placeholder: "DURATION", completion: .none),
          help: "refresh when it expires within this time; 60s if not given"),
        OptionSpec(
          "format", short: "f",
          value: .required(placeholder: "FORMAT", completion: .oneOf(["raw", "json", "header", "a:b"])),
          help: "what to print"),
        OptionSpec(
          "scope", value: .required(placeholder: "SCOPE", completion: .dynamic("scopes")), repeatable: true,
          help: "ask for this scope"),
        OptionSpec("no-refresh", help: "never talk to the server [offline: really], it's \"cheap\" & $HOME `safe`"),
      ],
      examples: [
        Example("tokctl token acme/work", "prints the token of an account"),
        Example(
          "curl -H \"$(tokctl token acme --format header)\" 'https://example.com/~a/b?q=\\n'",
          "sends a request with it"),
      ]),
    CommandSpec(
      name: "revoke", aliases: ["logout", "signout"], summary: "revoke tokens and forget them",
      operands: [
        OperandSpec(
          "PROVIDER[/ACCOUNT]", arity: .repeated(atLeast: 1), completion: .dynamic("accounts"), help: "what to forget")
      ],
      options: [OptionSpec("all", short: "a", help: "all of them")]),
    CommandSpec(
      name: "import", summary: "read a backup",
      operands: [
        OperandSpec("FILE", arity: .required, completion: .file, help: "the backup"),
        OperandSpec("DIRECTORY", arity: .optional, completion: .directory, help: "where to put it"),
      ],
      options: [
        OptionSpec(
          "key-file", short: "k", value: .required(placeholder: "FILE", completion: .file), help: "the key"),
        OptionSpec(
          "into", value: .required(placeholder: "DIR", completion: .directory), help: "another directory"),
        OptionSpec(
          "level", value: .required(placeholder: "N", completion: .suggested(["1", "9"])), help: "how hard to try"),
      ]),
    CommandSpec(
      name: "exec", summary: "run a command with a token",
      operands: [
        OperandSpec("PROVIDER[/ACCOUNT]", arity: .required, completion: .dynamic("accounts"), help: "whose token"),
        OperandSpec(
          "CMD", arity: .repeated(atLeast: 1), completion: .command, endsOptions: true, help: "the command to run"),
      ],
      options: [
        OptionSpec("env", short: "e", value: .required(placeholder: "NAME", completion: .none), help: "the variable")
      ]),
    CommandSpec(
      name: "providers", summary: "list and change the catalogue",
      options: [OptionSpec("user-only", help: "only one's own")],
      subcommands: [
        CommandSpec(
          name: "list", summary: "list the providers",
          operands: [OperandSpec("WORD", arity: .optional, help: "only those with this word")],
          options: [OptionSpec("json", short: "j", help: "print JSON")]),
        CommandSpec(
          name: "show", summary: "print a provider's file",
          operands: [
            OperandSpec("NAME", arity: .required, completion: .dynamic("providers"), help: "the provider")
          ]),
        CommandSpec(
          name: "add", summary: "add a provider", discussion: "The name comes from the URL.",
          operands: [OperandSpec("NAME|URL", arity: .required, help: "its name or its address")],
          options: [
            OptionSpec("client-id", value: .required(placeholder: "ID", completion: .none), help: "the client")
          ]),
      ], defaultSubcommand: "list"),
    CommandSpec(
      name: "schedule", summary: "refresh on a timer",
      subcommands: [
        CommandSpec(name: "enable", summary: "start the timer"),
        CommandSpec(name: "disable", summary: "stop the timer"),
      ]),
    CommandSpec(
      name: "git-credential", summary: "answer git",
      operands: [
        OperandSpec(
          "get|store|erase", arity: .required, completion: .oneOf(["get", "store", "erase"]), help: "what git wants")
      ]),
    CommandSpec(
      name: "__complete", summary: "list words for shells",
      operands: [OperandSpec("KIND", arity: .required, help: "what to list")], isHidden: true),
  ],
  globalOptions: [
    OptionSpec("quiet", short: "q", help: "say nothing"),
    OptionSpec("verbose", short: "v", help: "say more"),
    OptionSpec("cacert", value: .required(placeholder: "FILE", completion: .file), help: "trust this CA too"),
  ],
  examples: [Example("tokctl import ~/backup && tokctl token acme", "moves in")],
  exitCodes: [ExitStatus(0, "done"), ExitStatus(64, "bad command line"), ExitStatus(75, "try again later")],
  environment: [("TOKCTL_HOME", "where the files are"), ("NO_COLOR", "no colour if set")],
  files: [("~/.config/tokctl/providers/NAME.json", "a provider of one's own")],
  seeAlso: ["passwd(5)", "ls(1)", "https://www.rfc-editor.org/rfc/rfc6749"])
