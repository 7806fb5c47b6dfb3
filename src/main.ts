/** Configuration → server → listen, and back again on SIGTERM. */
import { StoreRefused, StoreUnavailable } from '../storage/errors.ts'
import { configure } from './command-line.ts'
import { createLogger } from './operating/logger.ts'
import { InvalidSetting } from './operating/variable.ts'
import { type RunningServer, startServer } from './server.ts'

/** A shutdown that has not ended by then is ended. */
const stopMsMax = 19_000

const config = configure(process.argv.slice(2), process.env)
const logger = createLogger(config.logLevel)

process.on('unhandledRejection', (error) => logger.error({ err: error }, 'a promise was left alone'))

// Before anything answers: whoever can reach the server may end it.
const ending = Promise.withResolvers<NodeJS.Signals>()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => ending.resolve(signal))

let server: RunningServer
try {
  server = await startServer(config, logger)
} catch (error) {
  // of a store that fails while it is filled for the first time, the path is what the operator looks for
  const known = error instanceof StoreRefused || error instanceof InvalidSetting || error instanceof StoreUnavailable
  const where = error instanceof StoreUnavailable && config.store.startsWith('sqlite:') ? `${config.store}: ` : ''
  process.stderr.write(
    known ? `${where}${error.message}\n` : `Troupe cannot start: ${error instanceof Error ? error.message : error}\n`,
  )
  if (!known) logger.fatal({ err: error }, 'the start failed')
  process.exit(1)
}
process.stdout.write(greeting(server))

logger.info({ signal: await ending.promise }, 'shutting down')
setTimeout(() => process.exit(0), stopMsMax)
await server.stop().catch((error) => logger.error({ err: error }, 'the shutdown was not clean'))
process.exit(0)

/** What a person sees at the start; secrets that were made are shown this once. */
function greeting({ url, first, generatedRunnerToken }: RunningServer): string {
  const lines = [
    '',
    `Troupe is ready at ${url}`,
    '',
    `  Console ${url}`,
    `  API     ${url}/api/v1`,
    `  Docs    ${url}/docs`,
  ]
  if (first.owner?.generatedPassword) {
    lines.push('', 'Created on this first start, and shown only now:', '')
    lines.push(`  Owner         ${first.owner.email}`, `  Password      ${first.owner.generatedPassword}`)
  }
  if (first.generatedApiKey) lines.push(`  API key       ${first.generatedApiKey}`)
  if (first.owner && generatedRunnerToken) lines.push(`  Runner token  ${generatedRunnerToken}`)
  return `${lines.join('\n')}\n\n`
}
