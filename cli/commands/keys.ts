/** `keys`: API keys of the organization. */
import type { Command } from 'commander'
import type { ApiKey } from '../../sdk/src/index.ts'
import { examples, type Running, several, speaks, wholeNumber, works } from '../command.ts'
import type { Context } from '../context.ts'
import { findPlace, findProject } from '../names.ts'
import { usageError } from '../terminal/exit-codes.ts'
import { facts, table, time } from '../terminal/text.ts'

interface NewKeyOptions {
  allow?: string[]
  on?: string
  days?: number
}

async function list(context: Context, { all = false }: { all?: boolean }): Promise<void> {
  const keys: ApiKey[] = []
  for await (const key of context.client().apiKeys.list({ limit: 100 }))
    if (all || key.status === 'active') keys.push(key)
  context.output.result(keys, () =>
    table(
      ['id', 'name', 'prefix', 'status', 'expires', 'last used'],
      keys.map((key) => [key.id, key.name, key.prefix, key.status, time(key.expiresAt), time(key.lastUsedAt)]),
    ),
  )
}

/** The scope that `PROJECT` or `PROJECT/KIND` names. */
async function scopeOf(context: Context, on: string | undefined) {
  if (on === undefined) return {}
  if (!on.includes('/')) return { projectId: (await findProject(context.client(), on)).id }
  const { project, environment } = await findPlace(context.client(), on)
  return { projectId: project.id, environmentId: environment.id }
}

async function create(context: Context, { allow, on, days }: NewKeyOptions, name: string): Promise<void> {
  if (!allow)
    throw usageError('Name the permissions of the key: --allow "agent-runs:*", or --allow "*" for all of yours.')
  const scope = await scopeOf(context, on)
  const expiresAt = days === undefined ? undefined : new Date(Date.now() + days * 86_400_000).toISOString()
  const key = await context
    .client()
    .apiKeys.create({ name, operations: allow, ...scope, ...(expiresAt && { expiresAt }) })
  context.output.result(key, () =>
    facts([
      ['id', key.id],
      ['expires', time(key.expiresAt)],
      ['key', `${key.secret}   (shown only now)`],
    ]),
  )
}

async function revoke(context: Context, id: string): Promise<void> {
  const key = await context.client().apiKeys.revoke({ keyId: id })
  context.output.result(key, () => `${key.id} (${key.name}) is ${key.status}.`)
}

export function addKeys(program: Command, running: Running): void {
  const keys = program
    .command('keys')
    .summary('list, create and revoke API keys')
    .description('API keys of the organization.')
  speaks(keys.command('list'))
    .description('Lists keys, newest first; revoked ones only with --all.')
    .option('--all', 'include revoked keys')
    .action(works(running, list))
  speaks(keys.command('create'))
    .description('Creates a key and shows it once.')
    .argument('<name>', 'the name of the key')
    .option('--allow <permissions>', 'its permissions, separated by commas: "agent-runs:*", "*"', several)
    .option('--on <place>', 'its scope: PROJECT, or PROJECT/KIND')
    .option('--days <number>', 'days until it expires (default: 90)', wholeNumber(1, 366))
    .addHelpText(
      'after',
      examples(
        'troupe keys create ci --allow "agent-runs:*,projects:list,projects:get,agents:list" --on shop/production',
        'troupe keys create laptop --allow "*" --days 30',
      ),
    )
    .action(works<[string], NewKeyOptions>(running, create))
  speaks(keys.command('revoke'))
    .description('Revokes a key, with immediate effect. This cannot be undone.')
    .argument('<id>', 'key_…')
    .action(works<[string], object>(running, (context, _, id) => revoke(context, id)))
}
