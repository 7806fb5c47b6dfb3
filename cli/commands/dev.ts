/** `dev`: a local server for the current folder. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { newSecret } from '../../src/tenancy/api-keys/secret.ts'
import { answers, examples, type Running, wholeNumber, works } from '../command.ts'
import type { Context } from '../context.ts'
import { usualFile } from '../manifest/file.ts'
import { FolderWork } from '../manifest/folder-work.ts'
import { readProfiles, writeProfiles } from '../settings/profiles.ts'
import { CommandError } from '../terminal/exit-codes.ts'
import { facts } from '../terminal/text.ts'

interface DevOptions {
  port?: number
}

/** The credentials of the folder's server. */
interface Secrets {
  key: string
  password: string
}

const profileName = 'dev'
const main = join(import.meta.dir, '../../src/main.ts')
const ownerEmail = 'owner@localhost'

const isSecrets = (value: unknown): value is Secrets =>
  typeof (value as Secrets | null)?.key === 'string' && typeof (value as Secrets).password === 'string'

/** The credentials of the folder; created, with the folder, on first use. */
function secretsIn(folder: string): Secrets {
  const file = join(folder, 'dev.json')
  if (existsSync(file)) {
    try {
      const secrets: unknown = JSON.parse(readFileSync(file, 'utf8'))
      if (isSecrets(secrets)) return secrets
    } catch {
      // reported below
    }
    throw new CommandError('failed', 'invalid_folder', `${file} was not written by troupe dev.`, [
      `Remove ${folder} to start again; this removes its runs and Projects.`,
    ])
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  // everything in it belongs to this machine
  writeFileSync(join(folder, '.gitignore'), '*\n')
  const password = crypto.getRandomValues(new Uint8Array(12)).toBase64({ alphabet: 'base64url' })
  const secrets = { key: newSecret(), password }
  writeFileSync(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
  return secrets
}

/** Passes on settings of this process that are meant for a server; the folder provides those that control access. */
const environmentOf = (
  folder: string,
  { key, password }: Secrets,
  { port }: DevOptions,
): Record<string, string | undefined> => ({
  TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
  LOG_LEVEL: 'warn',
  ...process.env,
  ...(port !== undefined && { PORT: String(port) }),
  TROUPE_STORE: `sqlite:${join(folder, 'troupe.db')}`,
  TROUPE_BOOTSTRAP_API_KEY: key,
  TROUPE_OWNER_EMAIL: ownerEmail,
  TROUPE_OWNER_PASSWORD: password,
  // read by the command line, not by the server
  TROUPE_URL: undefined,
  TROUPE_API_KEY: undefined,
  TROUPE_KEY: undefined,
  TROUPE_CONFIG: undefined,
})

interface Heard {
  /** Called with the address of the server. */
  ready(url: string): void
  /** Called with each line of its log. */
  logged(line: string): void
}

/** Reads the output of a server until it ends. */
async function hear(output: ReadableStream<Uint8Array>, { ready, logged }: Heard): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of output) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() as string
    for (const line of lines) {
      const url = /^Troupe is ready at (\S+)$/.exec(line)?.[1]
      if (url) ready(url)
      // the rest greets an operator
      else if (line.startsWith('{')) logged(line)
    }
  }
}

function tell({ output }: Context, url: string, { key, password }: Secrets): void {
  const stored = readProfiles()
  writeProfiles({
    current: stored.current ?? profileName,
    profiles: { ...stored.profiles, [profileName]: { url, key } },
  })
  const isCurrent = readProfiles().current === profileName
  const value = { url, profile: profileName, owner: { email: ownerEmail, password } }
  output.item(value, () =>
    [
      '',
      facts([
        ['Console', url],
        ['Sign in as', `${ownerEmail}, ${password}`],
        ['Profile', profileName],
      ]),
      '',
      usualFile() === undefined
        ? `Try: troupe run agt_system_assistant "Hello"${isCurrent ? '' : ` --profile ${profileName}`}\nOr create a Project: troupe init support-desk`
        : `${usualFile()} is applied to development each time it is saved.`,
      'Ctrl-C stops it; its data stays in .troupe/.',
      '',
    ].join('\n'),
  )
}

async function dev(context: Context, options: DevOptions): Promise<void> {
  const folder = resolve('.troupe')
  const secrets = secretsIn(folder)
  // if this process is killed, the server ends with it, and the store is free for the next one
  const server = Bun.spawn([process.execPath, '--no-orphans', main], {
    env: environmentOf(folder, secrets, options),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
    // Ctrl-C of a terminal would reach it before the worker has answered its calls
    detached: true,
  })
  let folderWork: FolderWork | undefined
  const stop = async () => {
    await folderWork?.stop()
    server.kill('SIGTERM')
  }
  context.signal.addEventListener('abort', () => void stop(), { once: true })
  process.once('exit', () => server.kill('SIGKILL'))
  await hear(server.stdout, {
    ready(url) {
      tell(context, url, secrets)
      folderWork = new FolderWork(context, { url, key: secrets.key })
      folderWork.start()
    },
    logged: (line) => context.output.note(line),
  })
  await folderWork?.stop()
  const code = await server.exited
  if (context.signal.aborted) context.output.note('The server has stopped.')
  else throw new CommandError('failed', 'server_ended', `The server has ended with code ${code}.`)
}

export function addDev(program: Command, running: Running): void {
  answers(program.command('dev'))
    .summary('run a local server for this folder, with its manifest and worker')
    .description(
      'Starts a server with its store, keys and owner in .troupe/ of this folder, and with the sandbox as its model unless you configure another, and prints the address of its console. The server becomes the profile dev. Each time the manifest of the folder or a module that it may import is saved, the manifest is applied to development, where worker.ts executes operations.',
    )
    .option('--port <number>', 'the port; 0 chooses a free one (default: PORT, 3000)', wholeNumber(0, 65_535))
    .addHelpText('after', examples('troupe dev', 'troupe dev --port 4000'))
    .action(works(running, dev))
}
