/** Questions to a person; a command without a terminal asks none. */
import { textOf } from '../../src/platform/documents.ts'
import { usageError } from './exit-codes.ts'

/** Whether there is a person to ask. */
export const isAtTerminal = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

/** Throws if there is no person to ask; `instead` says how to give the answer on the command line. */
export function assertAtTerminal(instead: string): void {
  if (!isAtTerminal()) throw usageError(`There is no terminal for the question: ${instead}`)
}

type Prompts = typeof import('@clack/prompts')

/**
 * The answer to a question, which is asked by a function of `@clack/prompts`: few commands ask, and they load it then.
 * If it was refused, throws the same as an interruption.
 */
export async function answered<Value>(ask: (prompts: Prompts) => Promise<Value>): Promise<Exclude<Value, symbol>> {
  const prompts = await import('@clack/prompts')
  const answer = await ask(prompts)
  if (prompts.isCancel(answer)) {
    process.kill(process.pid, 'SIGINT')
    // the signal is handled first
    await Bun.sleep(20)
    throw new Error('The question was not answered.')
  }
  return answer as Exclude<Value, symbol>
}

const inputBytesMax = 1_048_576

/** The text that is piped into this process, up to a mebibyte. */
export async function standardInput(): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of Bun.stdin.stream()) {
    size += chunk.byteLength
    if (size > inputBytesMax) throw usageError('The standard input has more than a mebibyte.')
    chunks.push(chunk)
  }
  return textOf(Buffer.concat(chunks), 'The standard input')
}
