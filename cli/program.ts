/** All commands of `troupe`. */
import { Command } from 'commander'
import packageJson from '../package.json'
import { addAdmin } from './admin/admin.ts'
import { examples, type Running, speaksBefore } from './command.ts'
import { addApi } from './commands/api.ts'
import { addApplies } from './commands/applies.ts'
import { addApprovals } from './commands/approvals.ts'
import { addChart } from './commands/chart/chart.ts'
import { addDev } from './commands/dev.ts'
import { addImport } from './commands/import.ts'
import { addInit } from './commands/init.ts'
import { addKeys } from './commands/keys.ts'
import { addLogin } from './commands/login.ts'
import { addLogs } from './commands/logs.ts'
import { addOpen } from './commands/open.ts'
import { addRun } from './commands/run.ts'
import { addRuns } from './commands/runs/runs.ts'
import { addWebhooks } from './commands/webhooks.ts'
import { addWorker } from './commands/worker.ts'
import { addCompletions } from './completions.ts'
import { exitCodes, exitMeanings } from './terminal/exit-codes.ts'
import { styled } from './terminal/text.ts'

const codes = Object.entries(exitMeanings).map(
  ([name, meaning]) => `  ${String(exitCodes[name as keyof typeof exitCodes]).padStart(3)}  ${meaning}`,
)

/** Reports an error in a command line like all other failures. */
function usageLine(text: string): string {
  const message = text.replace(/^error: /, '').trim()
  if (!process.argv.includes('--json')) return `${styled('red', 'Error:', process.stderr)} ${message}\n`
  return `${JSON.stringify({ error: { code: 'usage', message, hints: [] } })}\n`
}

/** The program; `running` is called with the running command. */
export function createProgram(running: Running): Command {
  const program = new Command('troupe')
    .description('Manages and runs AI agents on a Troupe server.')
    .version(packageJson.version, '-v, --version')
    .helpOption('-h, --help', 'what a command does and takes')
    .showSuggestionAfterError()
    // an option behind the name of a command belongs to the command
    .enablePositionalOptions()
    // the caller decides how the program ends
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(usageLine(text)) })
    .addHelpText('after', `\nExit codes:\n${codes.join('\n')}`)
    .addHelpText(
      'after',
      examples(
        'troupe init support-desk',
        'troupe dev',
        'troupe apply --environment production',
        'troupe login --url https://troupe.example.com',
        'troupe run shop/production/clerk "Where is order A-17?"',
      ),
    )
  addDev(program, running)
  addInit(program, running)
  addApplies(program, running)
  addWorker(program, running)
  addRun(program, running)
  addRuns(program, running)
  addApprovals(program, running)
  addLogs(program, running)
  addChart(program, running)
  addOpen(program, running)
  addApi(program, running)
  addLogin(program, running)
  addKeys(program, running)
  addWebhooks(program, running)
  addImport(program, running)
  addAdmin(program, running)
  speaksBefore(program)
  addCompletions(program)
  return program
}
