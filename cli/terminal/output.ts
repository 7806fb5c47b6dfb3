/** What a command says: results on the standard output, everything else on the standard error. */
import { spinner } from '@clack/prompts'
import { plain, styled } from './text.ts'

export class Output {
  constructor(
    /** Whether results are JSON, for programs: one document, or one a line where results come one by one. */
    readonly json: boolean,
  ) {}

  /** The result of a command: as JSON whatever it is, for people as `human` shows it. */
  result(value: unknown, human: () => string): void {
    process.stdout.write(`${this.json ? JSON.stringify(value, null, 2) : human()}\n`)
  }

  /** One of several results: a line of JSON each. People see nothing where `human` gives nothing. */
  item(value: unknown, human: () => string | undefined): void {
    const text = this.json ? JSON.stringify(value) : human()
    if (text !== undefined) process.stdout.write(`${text}\n`)
  }

  /** A piece of text that others write, as it comes. Only for people. */
  piece(text: string): void {
    if (!this.json) process.stdout.write(plain(text))
  }

  /** A word to the person in front of it. */
  note(text: string): void {
    process.stderr.write(`${text}\n`)
  }

  warn(text: string): void {
    this.note(`${styled('yellow', 'Warning:', process.stderr)} ${text}`)
  }

  /** Waits for work that takes a moment; a terminal shows that it goes on. */
  async wait<Value>(doing: string, work: () => Promise<Value>): Promise<Value> {
    if (this.json || process.stderr.isTTY !== true) return work()
    // Ctrl-C is the command's own affair
    const shown = spinner({ output: process.stderr, handleSignals: false } as Parameters<typeof spinner>[0])
    shown.start(doing)
    try {
      const value = await work()
      shown.stop(doing)
      return value
    } catch (error) {
      shown.error(doing)
      throw error
    }
  }
}
