/** The output of a command: results on the standard output, everything else on the standard error. */
import { plain, styled } from './text.ts'

const frames = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏']
const frameMs = 80

export class Output {
  constructor(
    /** Whether results are JSON, for programs: one document, or one per line if results arrive one by one. */
    readonly json: boolean,
  ) {}

  /** The result of a command: as JSON, or for people as `human` formats it. */
  result(value: unknown, human: () => string): void {
    process.stdout.write(`${this.json ? JSON.stringify(value, null, 2) : human()}\n`)
  }

  /** One of several results: one line of JSON each. People see nothing if `human` returns nothing. */
  item(value: unknown, human: () => string | undefined): void {
    const text = this.json ? JSON.stringify(value) : human()
    if (text !== undefined) process.stdout.write(`${text}\n`)
  }

  /** A piece of streamed text. Only for people. */
  piece(text: string): void {
    if (!this.json) process.stdout.write(plain(text))
  }

  /** A note to the person at the terminal. */
  note(text: string): void {
    process.stderr.write(`${text}\n`)
  }

  warn(text: string): void {
    this.note(`${styled('yellow', 'Warning:', process.stderr)} ${text}`)
  }

  /** Waits for short work, with a spinner on a terminal. */
  async wait<Value>(doing: string, work: () => Promise<Value>): Promise<Value> {
    if (this.json || process.stderr.isTTY !== true) return work()
    // unlike the spinners of libraries this does not take over Ctrl-C and the keyboard
    let drawn = 0
    const draw = () => {
      const frame = frames[drawn % frames.length] as string
      process.stderr.write(`\r${styled('cyan', frame, process.stderr)} ${doing}`)
      drawn += 1
    }
    draw()
    const timer = setInterval(draw, frameMs)
    try {
      return await work()
    } finally {
      clearInterval(timer)
      process.stderr.write('\r\u001b[K')
    }
  }
}
