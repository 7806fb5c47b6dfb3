/** `login`, `logout`, `whoami` and `profiles`: the credentials of this machine's user. */
import { hostname } from 'node:os'
import type { Command } from 'commander'
import { ApiError, type ApiKey, PermissionError, Troupe } from '../../sdk/src/index.ts'
import { answers, examples, type Running, speaks, works } from '../command.ts'
import type { Context } from '../context.ts'
import { defaultUrl, isInTheClear, serverUrl } from '../settings/access.ts'
import { profilesFile, readProfiles, writeProfiles } from '../settings/profiles.ts'
import { answered, assertAtTerminal, isAtTerminal, standardInput } from '../terminal/ask.ts'
import { openPage } from '../terminal/browser.ts'
import { usageError } from '../terminal/exit-codes.ts'
import { facts, styled, table, time } from '../terminal/text.ts'

interface LoginOptions {
  key?: string
  email?: string
  organization?: string
  browser?: boolean
}

const keyForm = /^trp_[0-9A-Za-z]{49}$/

function checkedKey(given: string): string {
  const key = given.trim()
  if (!keyForm.test(key)) throw usageError('That is not an API key: a key is trp_ and 49 letters and digits.')
  return key
}

/** A client that acts in a session, which begins with the first answer. */
function sessionClient(url: string) {
  const session: Record<string, string> = {}
  const troupe = new Troupe({
    baseUrl: url,
    apiKey: null,
    maxRetries: 0,
    fetch: async (address, init) => {
      const headers = { ...(init.headers as Record<string, string>), ...session }
      const answer = await fetch(address, { ...init, headers })
      const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0] as string)
      if (cookies.length > 0 && !session.cookie) session.cookie = cookies.join('; ')
      return answer
    },
  })
  return { troupe, session }
}

/** Signs in with a password, makes a key for this machine, and signs out again. */
async function keyByPassword(
  context: Context,
  url: string,
  { email = '', organization }: LoginOptions,
): Promise<string> {
  const secret = isAtTerminal()
    ? await answered(({ password }) => password({ message: `Password of ${email}`, output: process.stderr }))
    : (await standardInput()).replace(/\r?\n$/, '')
  const { troupe, session } = sessionClient(url)
  const { csrfToken } = await troupe.sessions.create({ email, password: secret, ...(organization && { organization }) })
  session['x-csrf-token'] = csrfToken
  const name = keyName()
  const made = await troupe.apiKeys.create({ name, operations: ['*'] })
  await troupe.sessions.delete()
  context.output.note(`Created the API key ${made.id} (${name}), which expires on ${made.expiresAt.slice(0, 10)}.`)
  return made.secret
}

/** The name of the key, which names this machine. */
const keyName = () => `troupe CLI on ${hostname()}`.slice(0, 200)

/** Whether the server does not support keys by consent, because it is older than this program. */
const isUnknownThere = (error: unknown): boolean => error instanceof ApiError && [404, 405].includes(error.status)

/** Gets a key by consent: a person approves it on a page of the console, in the browser of any machine. */
async function keyByBrowser(context: Context, url: string): Promise<string> {
  const { output, interruption } = context
  const { apiKeys } = context.client({ url, key: null })
  const asked = await apiKeys.requestDeviceAuthorization({ clientName: keyName() }).catch((error: unknown) => {
    if (!isUnknownThere(error)) throw error
    throw usageError(
      'This server is older and does not support sign-in by browser.',
      'Sign in with --email, or with --key.',
    )
  })
  output.note(`Open ${asked.verificationUrlComplete}\nand approve the code ${asked.userCode}.`)
  openPage(asked.verificationUrlComplete)
  const exchange = async () => {
    for (;;) {
      await interruption.sleep(asked.intervalSeconds * 1000)
      try {
        return await apiKeys.exchangeDeviceCode({ deviceCode: asked.deviceCode })
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'authorization_pending')) throw error
      }
    }
  }
  const made = await output.wait('Waiting for the browser', exchange)
  output.note(`Created the API key ${made.id} (${made.name}), which expires on ${made.expiresAt.slice(0, 10)}.`)
  return made.secret
}

async function findKey(context: Context, url: string, options: LoginOptions): Promise<string> {
  if (options.key !== undefined) return checkedKey(options.key === '-' ? await standardInput() : options.key)
  if (options.email !== undefined) return keyByPassword(context, url, options)
  if (options.browser) return keyByBrowser(context, url)
  assertAtTerminal('give --browser, --key KEY, or --key - and the key by the standard input.')
  const way = await answered(({ select }) =>
    select({
      message: `Sign in to ${url}`,
      options: [
        { value: 'browser', label: 'in your browser' },
        { value: 'password', label: 'with e-mail address and password' },
      ],
      output: process.stderr,
    }),
  )
  if (way === 'browser') return keyByBrowser(context, url)
  const email = await answered(({ text }) => text({ message: 'E-mail address', output: process.stderr }))
  return keyByPassword(context, url, { ...options, email })
}

async function login(context: Context, options: LoginOptions & { url?: string; profile?: string }): Promise<void> {
  const before = readProfiles()
  const named = options.profile === undefined ? undefined : before.profiles[options.profile]?.url
  const url = serverUrl(options.url ?? (process.env.TROUPE_URL || undefined) ?? named ?? defaultUrl)
  if (isInTheClear(url)) context.output.warn('Keys and answers go to this address unencrypted; use https.')
  const key = await findKey(context, url, options)
  const troupe = context.client({ url, key })
  const [organization] = (await context.output.wait('Asking the server', () => troupe.organizations.list())).items
  const name = options.profile ?? new URL(url).host
  // another command may have stored a profile while a person was asked
  writeProfiles({ profiles: { ...readProfiles().profiles, [name]: { url, key } }, current: name })
  const value = { profile: name, url, organization: organization?.slug ?? null, file: profilesFile() }
  context.output.result(
    value,
    () => `Signed in to ${url}, organization ${value.organization}. The key is in ${value.file}.`,
  )
}

function logout({ output }: Context, name: string | undefined): void {
  const { current, profiles } = readProfiles()
  const leaving = name ?? current
  if (leaving === null || !profiles[leaving]) throw usageError(`There is no profile ${leaving ?? 'to forget'}.`)
  const { [leaving]: _, ...kept } = profiles
  writeProfiles({ current: current === leaving ? null : current, profiles: kept })
  output.result(
    { forgotten: leaving },
    () => `Removed ${leaving}. Its key is still valid: troupe keys revoke revokes it.`,
  )
}

const shownPermissionsMax = 5

/** What a key may do, shortened. */
function authorityOf({ operations, projectId, environmentId, agentId }: ApiKey): string {
  const shown = operations.slice(0, shownPermissionsMax).join(', ')
  const more = operations.length - shownPermissionsMax
  const scope = [projectId, environmentId, agentId].filter((id) => id !== null).join(', ')
  return `${shown}${more > 0 ? ` and ${more} more` : ''} in ${scope || 'the whole organization'}`
}

const soonMs = 7 * 86_400_000

async function whoami(context: Context): Promise<void> {
  const { url } = context.access
  const troupe = context.client()
  const { items } = await troupe.organizations.list()
  // an older server does not tell a key about itself
  const key = await troupe.apiKeys.getCurrentApiKey().catch((error: unknown) => {
    if (isUnknownThere(error) || error instanceof PermissionError) return null
    throw error
  })
  const organizations = items.map(({ id, slug, name }) => ({ id, slug, name }))
  context.output.result({ url, organizations, key }, () =>
    facts([
      ['server', url],
      ['organization', organizations.map(({ slug, name }) => `${slug} (${name})`).join(', ')],
      ...(key
        ? ([
            ['key', `${key.id} (${key.name})`],
            ['may', authorityOf(key)],
            ['expires', time(key.expiresAt)],
          ] as const)
        : []),
    ]),
  )
  if (key && Date.parse(key.expiresAt) - Date.now() < soonMs) {
    context.output.warn('The key expires soon: troupe login creates a new one.')
  }
}

function listProfiles({ output }: Context): void {
  const { current, profiles } = readProfiles()
  const rows = Object.entries(profiles).map(([name, { url }]) => ({ name, url, current: name === current }))
  output.result(rows, () =>
    rows.length === 0
      ? 'No profiles: troupe login creates one.'
      : table(
          ['', 'profile', 'server'],
          rows.map((row) => [row.current ? styled('green', '*') : ' ', row.name, row.url]),
        ),
  )
}

function useProfile({ output }: Context, name: string): void {
  const stored = readProfiles()
  if (!stored.profiles[name]) throw usageError(`There is no profile ${name}.`, 'troupe profiles lists them.')
  writeProfiles({ ...stored, current: name })
  output.result({ current: name }, () => `Commands use ${name} now.`)
}

export function addLogin(program: Command, running: Running): void {
  speaks(program.command('login'))
    .summary('sign in to a server')
    .description(
      'Signs in by a page of the console in your browser, with a password, or with an API key. The first two create a key. The key is stored for this user (mode 0600) and sent only to this server.',
    )
    .option('--browser', 'sign in on a page of the console; the browser may be on another machine')
    .option('--key <key>', 'an API key; - reads it from the standard input')
    .option('--email <address>', 'sign in with a password, from a prompt or the standard input')
    .option('--organization <slug>', 'with --email: the organization')
    .addHelpText(
      'after',
      examples(
        'troupe login',
        'troupe login --browser',
        'troupe login --url https://troupe.example.com --key - < key.txt',
      ),
    )
    .action(works(running, login))
  answers(program.command('logout'))
    .summary('remove a key from this machine')
    .description('Removes the key of a profile from this machine. The key stays valid until it is revoked.')
    .argument('[profile]', 'default: the current one')
    .action(works<[string | undefined], object>(running, (context, _, name) => logout(context, name)))
  speaks(program.command('whoami'))
    .summary('show the server, the organization and the key')
    .description(
      'Shows the server, the organization and the key that commands use, with what the key may do and when it expires.',
    )
    .action(works(running, whoami))
  const profiles = answers(program.command('profiles'))
    .summary('list profiles, or select one')
    .description('Lists the servers that you have signed in to.')
    .action(works(running, listProfiles))
  answers(profiles.command('use'))
    .description('Makes a profile the current one.')
    .argument('<profile>')
    .action(works<[string], object>(running, (context, _, name) => useProfile(context, name)))
}
