public import OAuth

extension BrowserError {
  /// What it means, as the beginning of a sentence.
  public var sentence: String {
    switch self {
    case .noDisplay(let reason): "no browser was opened (\(reason))"
    case .notFound(let tried): "no browser could be started (tried \(tried.joined(separator: ", ")))"
    case .noPrivateWindow(let browser): "it is not known how \(browser) opens a private window"
    }
  }
}

extension CallbackFailure {
  /// What it means, for the browser's page and the terminal; server text is one clean line.
  public var sentence: String {
    switch self {
    case .server(let error): "the server answered: \(error.sentence)"
    case .issuerMismatch(let expected, let got):
      "the answer comes from another issuer: expected \(expected), got \(got.map { PrintableText.printable($0, limit: 200) } ?? "none")"
    case .repeated(let parameter): "the answer has the parameter '\(parameter)' twice"
    case .unusable(let parameter, let expected, let got):
      "the answer's \(parameter) cannot be used: expected \(expected), got \(got.map { PrintableText.printable($0, limit: 100) } ?? "something else")"
    case .incomplete: "the answer has neither a code nor an error"
    }
  }
}

extension ServerError {
  /// The server's own words, fit for a terminal: code and description, else the status.
  public var sentence: String {
    let words = [code, description].compactMap { $0 }.map { PrintableText.printable($0, limit: 300) }.filter {
      !$0.isEmpty
    }
    let http = status.map { "HTTP status \($0)" }
    if code != nil, !words.isEmpty { return words.joined(separator: ": ") }
    return ([http] + (words.isEmpty ? ["no explanation"] : words)).compactMap { $0 }.joined(separator: ", ")
  }
}
