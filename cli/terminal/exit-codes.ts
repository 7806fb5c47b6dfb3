/** Exit codes, for scripts. The table is part of `troupe --help` and of docs/cli.md. */

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  signedOut: 3,
  forbidden: 4,
  missing: 5,
  refused: 6,
  away: 7,
  unsuccessful: 8,
  late: 124,
  interrupted: 130,
} as const

export const exitMeanings: Record<keyof typeof exitCodes, string> = {
  done: 'done',
  failed: 'any other failure, such as a file that cannot be written',
  usage: 'the command line or a file that it names is wrong; nothing was sent',
  signedOut: 'no API key, or one that is unknown, expired or revoked',
  forbidden: 'the API key lacks a permission; the message names it',
  missing: 'the resource does not exist, or is outside the scope of the key',
  refused: 'the server refused the request: invalid, or not possible in the current state',
  away: 'the server cannot be reached, or is unavailable',
  unsuccessful: 'the started work, such as a run, has ended without success',
  late: 'the time of --timeout is over; a message listed the work that continues',
  interrupted: 'interrupted by Ctrl-C; a message listed the work that continues',
}

/** An error of a command with its exit code, a code for programs and a message for people. */
export class CommandError extends Error {
  override readonly name = 'CommandError'

  constructor(
    readonly exit: keyof typeof exitCodes,
    readonly code: string,
    message: string,
    /** What the user can do about it, one line each. */
    readonly hints: readonly string[] = [],
  ) {
    super(message)
  }
}

/** An error of the user: exit code 2. */
export const usageError = (message: string, ...hints: string[]) => new CommandError('usage', 'usage', message, hints)
