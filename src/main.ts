/** Configuration → server → listen, and back again on SIGTERM. */
import { StoreRefused, StoreUnavailable } from '../storage/errors.ts'
import { createLogger } from './platform/operating/logger.ts'
import { InvalidSetting } from './platform/operating/variable.ts'
import { traceFields } from './platform/tracing/request-spans.ts'
import { tracesAreOn } from './platform/tracing/settings.ts'
import { configure } from './server/command-line.ts'
import type { FirstSecrets, RunningServer } from './server/server.ts'

/** A shutdown that has not ended by then is ended. */
const stopMsMax = 19_000

const unreadable =
  'The first API key and password cannot be printed, so that none were made: let the standard output go somewhere, or choose them by TROUPE_BOOTSTRAP_API_KEY and TROUPE_OWNER_PASSWORD'

const config = configure(process.argv.slice(2), process.env)
const logger = createLogger(config.logLevel, undefined, tracesAreOn(config) ? traceFields : undefined)

process.on('unhandledRejection', (error) => logger.error({ err: error }, 'a promise was left alone'))

// Installed before the server answers, because anyone who can reach it may end it.
const ending = Promise.withResolvers<NodeJS.Signals>()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => ending.resolve(signal))

void serve()

/** Starts the server and waits for a signal. The process ends with it. */
async function serve() {
  let server: RunningServer
  try {
    // not before there is a server to start: `--help`, and a word on a wrong setting, come at once
    const { startServer } = await import('./server/server.ts')
    server = await startServer(config, logger, { show: (secrets) => print(firstSecretsText(secrets)) })
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
}

/** What a person sees when the server serves. */
function greeting({ url }: RunningServer): string {
  const lines = [
    '',
    `Troupe is ready at ${url}`,
    '',
    `  Console ${url}`,
    `  API     ${url}/api/v1`,
    `  Docs    ${url}/docs`,
  ]
  return `${lines.join('\n')}\n\n`
}

/** What a first start has made, shown this once. Nothing where the operator has chosen all of it. */
function firstSecretsText({ owner, generatedApiKey, generatedRunnerToken }: FirstSecrets): string {
  const lines = []
  if (owner.generatedPassword)
    lines.push(`  Owner         ${owner.email}`, `  Password      ${owner.generatedPassword}`)
  if (generatedApiKey) lines.push(`  API key       ${generatedApiKey}`)
  if (generatedRunnerToken) lines.push(`  Runner token  ${generatedRunnerToken}`)
  return lines.length > 0 ? `\nCreated on this first start, and shown only now:\n\n${lines.join('\n')}\n` : ''
}

/** Resolves when the text has left this process. Throws `InvalidSetting` if its reader is gone. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const unread = () => reject(new InvalidSetting(unreadable))
    process.stdout.once('error', unread)
    process.stdout.write(text, (error) => (error ? unread() : resolve()))
  })
}
