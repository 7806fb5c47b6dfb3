/** The command line: `troupe`. Runs on Bun; `bin.js` finds it. */
import { CommanderError } from 'commander'
import type { Running } from './command.ts'
import { createProgram } from './program.ts'
import { reachOwnMachineDirectly } from './settings/own-machine.ts'
import { CommandError, exitCodes } from './terminal/exit-codes.ts'
import { describe, report } from './terminal/failure.ts'
import { Interruption } from './terminal/interruption.ts'

const running: Running = { interruption: new Interruption(), context: undefined }

/** The reader of the output may close it early. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.done)
  report(new CommandError('failed', 'output_lost', `The output cannot be written: ${error.message}`), isJson())
  process.exit(exitCodes.failed)
})

const isJson = () => running.context?.output.json === true || process.argv.includes('--json')

/** Lists the work that continues without the command. */
function interrupted(): never {
  const { expiredAfter, left } = running.interruption
  if (expiredAfter !== undefined) {
    report(new CommandError('late', 'timeout', `Stopped waiting after ${expiredAfter} s.`, left), isJson())
    process.exit(exitCodes.late)
  }
  if (isJson()) report(new CommandError('interrupted', 'interrupted', 'Interrupted.', left), true)
  else process.stderr.write(['', ...left, 'Interrupted.', ''].join('\n'))
  process.exit(exitCodes.interrupted)
}

running.interruption.listen(interrupted)
reachOwnMachineDirectly()

/** Resolves when the reader has taken all output: the end of the process would drop the rest. */
const outputTaken = () => new Promise<void>((resolve) => process.stdout.end(() => resolve()))

// the event loop is empty: a module of the user, such as a manifest, waits for what never happens
process.once('beforeExit', () => {
  report(new CommandError('failed', 'never_ends', 'The command waits for something that never happens.'), isJson())
  process.exit(exitCodes.failed)
})

void start()

/** The process ends with it: timers and connections of libraries must not delay the exit. */
async function start(): Promise<never> {
  try {
    await createProgram(running).parseAsync(process.argv)
  } catch (error) {
    await outputTaken()
    if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? exitCodes.done : exitCodes.usage)
    if (running.interruption.signal.aborted) interrupted()
    const described = describe(error, running.context?.url)
    report(described, isJson())
    process.exit(exitCodes[described.exit])
  }
  await outputTaken()
  process.exit(exitCodes.done)
}
