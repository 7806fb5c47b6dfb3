/** The command line: `troupe`. Runs on Bun; `bin.js` finds it. */
import { CommanderError } from 'commander'
import type { Running } from './command.ts'
import { createProgram } from './program.ts'
import { exitCodes } from './terminal/exit-codes.ts'
import { describe, report } from './terminal/failure.ts'
import { Interruption } from './terminal/interruption.ts'

const running: Running = { interruption: new Interruption(), context: undefined }

/** The reader of the output may close it early. */
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? 0 : exitCodes.failed),
)

/** Lists the work that continues without the command. */
function interrupted(): never {
  for (const sentence of running.interruption.left) process.stderr.write(`\n${sentence}`)
  process.stderr.write('\nInterrupted.\n')
  process.exit(exitCodes.interrupted)
}

running.interruption.listen(interrupted)

void start()

/** The process ends with it: timers and connections of libraries must not delay the exit. */
async function start(): Promise<never> {
  try {
    await createProgram(running).parseAsync(process.argv)
  } catch (error) {
    if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? exitCodes.done : exitCodes.usage)
    if (running.interruption.signal.aborted) interrupted()
    const described = describe(error, running.context?.url)
    report(described, running.context?.output.json === true || process.argv.includes('--json'))
    process.exit(exitCodes[described.exit])
  }
  process.exit(exitCodes.done)
}
