/**
 * `npm run bench`: measures the server as its clients see it. See README.md beside this file.
 *
 *     npm run bench -- [names…] [--quick] [--json] [--write-readme]
 *     npm run bench -- --profile [admission] [lifecycle] [workers]
 */
import { compileServer } from '../src/server/compile.ts'
import { compiledProgram } from '../src/server/compiled.ts'
import type { Plan } from './compare.ts'
import { profile, profiles } from './profile.ts'
import { machine, type Row, table, writeReadme } from './report.ts'
import { admission } from './scenarios/admission.ts'
import { beside } from './scenarios/beside.ts'
import { ceiling } from './scenarios/ceiling.ts'
import { costs } from './scenarios/costs.ts'
import { firstTokens } from './scenarios/first-token.ts'
import { floor } from './scenarios/floor.ts'
import { hostile } from './scenarios/hostile.ts'
import { kills } from './scenarios/kills.ts'
import { lifecycle } from './scenarios/lifecycle.ts'
import { lists } from './scenarios/lists.ts'
import { memory } from './scenarios/memory.ts'
import { operations } from './scenarios/operations.ts'
import { paths } from './scenarios/paths.ts'
import { read } from './scenarios/read.ts'
import { recovery } from './scenarios/recovery.ts'
import { schemas } from './scenarios/schemas.ts'
import { servers } from './scenarios/servers.ts'
import { startUp } from './scenarios/start-up.ts'
import { stream } from './scenarios/stream.ts'
import { traces } from './scenarios/traces.ts'
import { webhooks } from './scenarios/webhooks.ts'
import { workers } from './scenarios/workers.ts'
import { stopAll } from './server.ts'

const scenarios: Record<string, (plan: Plan) => Promise<Row[]>> = {
  ceiling,
  admission,
  floor,
  read,
  lifecycle,
  lists,
  stream,
  'first-token': firstTokens,
  'start-up': startUp,
  recovery,
  kills,
  memory,
  webhooks,
  workers,
  operations,
  schemas,
  hostile,
  beside,
  servers,
  traces,
  costs,
  paths,
}
const flags = ['--quick', '--json', '--write-readme', '--profile']

const given = process.argv.slice(2)
const usage = `Usage: npm run bench -- [names…] [flags…]\nBenchmarks: ${Object.keys(scenarios).join(' ')}\nFlags: ${flags.join(' ')}\n`
if (given.includes('--help')) {
  process.stdout.write(usage)
  process.exit(0)
}
const unknown = given.find((word) => !flags.includes(word) && !Object.hasOwn(scenarios, word))
if (unknown !== undefined) {
  process.stderr.write(`${JSON.stringify(unknown)} is neither a benchmark nor a flag; see npm run bench -- --help\n`)
  process.exit(2)
}
const quick = given.includes('--quick')
const asJson = given.includes('--json')
const plan: Plan = quick ? { rounds: 1, roundMs: 500, quick } : { rounds: 5, roundMs: 2_000, quick }
const chosen = given.filter((word) => word in scenarios)
const measure = given.includes('--profile') ? profile : undefined
const possible = measure ? profiles : Object.keys(scenarios)
const names = chosen.length > 0 ? chosen : possible
const impossible = names.find((name) => !possible.includes(name))
if (impossible !== undefined) {
  process.stderr.write(`There is no profile of ${impossible}, only of ${profiles.join(' and ')}.\n`)
  process.exit(2)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void stopAll().finally(() => process.exit(130)))
}

// like an installation
if (!compiledProgram()) await compileServer()

const rows: Row[] = []
try {
  for (const name of names) {
    const startedAt = performance.now()
    process.stderr.write(`${name} … `)
    rows.push(...(await (measure ? measure(name) : (scenarios[name] as (plan: Plan) => Promise<Row[]>)(plan))))
    process.stderr.write(`${Math.round((performance.now() - startedAt) / 1_000)} s\n`)
  }
} finally {
  await stopAll()
}
// the results of a quick run say nothing about the aims
if (quick) for (const row of rows) delete row.aim
process.stdout.write(asJson ? `${JSON.stringify({ machine: machine(), plan, rows }, null, 2)}\n` : `\n${table(rows)}\n`)
if (given.includes('--write-readme')) writeReadme(rows)
// idle keep-alive connections of fetch must not keep the process alive
process.exit(0)
