import Commands
import Glibc

exit(Program.main())
