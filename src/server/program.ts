/** Reads the configuration, starts the server, and stops it on a signal. */
import { StoreRefused, StoreUnavailable } from '../../storage/errors.ts'
import { createLogger } from '../platform/operating/logger.ts'
import { InvalidSetting } from '../platform/operating/variable.ts'
import { traceFields } from '../platform/tracing/request-spans.ts'
import { tracesAreOn } from '../platform/tracing/settings.ts'
import { configure } from './command-line.ts'
import { mayHandleHangUp } from './hang-up.ts'
import type { FirstSecrets, RunningServer } from './server.ts'

/** The longest shutdown; then the process exits. */
const stopMsMax = 19_000

/** How long a signal waits for the start to end. After that it is broken off, which it survives as it does a crash. */
const startMsMax = 1_000

const unreadable =
  'The first API key and password cannot be printed, so none were created: connect the standard output, or set TROUPE_BOOTSTRAP_API_KEY and TROUPE_OWNER_PASSWORD'

const config = configure(process.argv.slice(2), process.env)
const logger = createLogger(config.logLevel, undefined, tracesAreOn(config) ? traceFields : undefined)

process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled rejection of a promise'))

// Installed before the server answers, because clients that see it answer may send the signal.
const ending = Promise.withResolvers<NodeJS.Signals>()
for (const signal of ['SIGTERM', 'SIGINT', ...(mayHandleHangUp() ? (['SIGHUP'] as const) : [])] as const)
  process.on(signal, () => ending.resolve(signal))

void serve()

/** Starts the server and waits for a signal. The process ends with it. */
async function serve() {
  let server: RunningServer | undefined
  // the start may be waiting for its store, for half a minute
  void ending.promise.then(() =>
    setTimeout(() => {
      if (!server) process.exit(0)
    }, startMsMax),
  )
  try {
    // loaded only now, so that `--help` and the error of a wrong setting come at once
    const { startServer } = await import('./server.ts')
    server = await startServer(config, logger, { show: (secrets) => print(firstSecretsText(secrets)) })
  } catch (error) {
    // if a new store fails while it is created, the operator needs its path
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

/** The message to a person when the server is ready. */
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

/** The secrets of a first start, shown once. Nothing if the operator has set all of them. */
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
