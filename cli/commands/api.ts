/** `api`: any request of the API, with the sign-in of the command line. */
import { type Command, Option } from 'commander'
import { errorOf, reasonOf } from '../../sdk/src/client/errors.ts'
import { ConnectionError } from '../../sdk/src/index.ts'
import { documentIn } from '../../src/platform/documents.ts'
import { examples, type Running, speaks, works } from '../command.ts'
import type { Context } from '../context.ts'
import { readDocument } from '../documents.ts'
import { findPlace, findProject } from '../names.ts'
import { standardInput } from '../terminal/ask.ts'
import { usageError } from '../terminal/exit-codes.ts'

interface ApiOptions {
  method?: string
  data?: string
  on?: string
  all?: boolean
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** The ids that `--on` stands for, by the names that the API document gives them. */
async function idsOf(context: Context, on: string | undefined): Promise<Record<string, string>> {
  if (on === undefined) return {}
  const troupe = context.client()
  if (!on.includes('/')) return { projectId: (await findProject(troupe, on)).id }
  const { project, environment } = await findPlace(troupe, on)
  return { projectId: project.id, environmentId: environment.id }
}

/** The whole path: short ones are below /api/v1, and names in braces become the ids of `--on`. */
function pathOf(given: string, ids: Record<string, string>): string {
  if (!given.startsWith('/')) throw usageError(`${JSON.stringify(given)} is not a path, such as /agent-runs.`)
  const path = given.replaceAll(/\{(\w+)\}/g, (all, name: string) => {
    const id = ids[name]
    if (id === undefined)
      throw usageError(`Give an id for ${all}; --on PROJECT/KIND names a Project and an Environment.`)
    return id
  })
  return /^\/(?:api|docs|healthz|readyz|metrics)(?:[/?]|$)/.test(path) ? path : `/api/v1${path}`
}

/** The body: JSON, `@FILE` (JSON or YAML), or `-` for the standard input. */
async function bodyOf(data: string | undefined): Promise<string | undefined> {
  if (data === undefined) return undefined
  if (data.startsWith('@')) return JSON.stringify(await readDocument(data.slice(1)))
  const isPiped = data === '-'
  const text = isPiped ? await standardInput() : data
  return JSON.stringify(await documentIn(text, isPiped ? 'The standard input' : '--data'))
}

interface Page {
  data?: { items?: unknown[] }
  agentRuns?: unknown[]
  events?: unknown[]
  pagination?: { hasMore?: boolean; nextCursor?: string }
}

async function send(context: Context, path: string, init: RequestInit): Promise<Response> {
  const { url, key } = context.access
  const headers = {
    authorization: `Bearer ${key}`,
    accept: 'application/json, text/event-stream;q=0.9, */*;q=0.5',
    ...(init.body && { 'content-type': 'application/json' }),
  }
  const answer = await fetch(url + path, { ...init, headers, signal: context.signal }).catch((cause) => {
    if (context.signal.aborted) throw context.signal.reason
    throw new ConnectionError('connection_failed', `${url} cannot be reached: ${reasonOf(cause)}`, { cause })
  })
  if (!answer.ok) throw await errorOf(answer)
  return answer
}

/** Prints every item of every page, one line each. */
async function printAll(context: Context, path: string): Promise<void> {
  for (let cursor: string | undefined; ; ) {
    const at =
      cursor === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`
    const page = (await (await send(context, at, {})).json()) as Page
    const items = page.data?.items ?? page.agentRuns ?? page.events
    if (!items) throw usageError(`${path} is not a list: leave out --all.`)
    for (const item of items) process.stdout.write(`${JSON.stringify(item)}\n`)
    cursor = page.pagination?.nextCursor
    if (!page.pagination?.hasMore || cursor === undefined) return
  }
}

/** Prints an answer: JSON with line breaks, anything else, such as a stream, as it arrives. */
async function print(answer: Response, isCompact: boolean): Promise<void> {
  if (/^application\/json\b/.test(answer.headers.get('content-type') ?? '')) {
    const text = await answer.text()
    if (text) process.stdout.write(`${JSON.stringify(JSON.parse(text), null, isCompact ? undefined : 2)}\n`)
    return
  }
  for await (const piece of answer.body ?? []) {
    // a slow reader, such as a pager, does not fill the memory
    if (!process.stdout.write(piece)) await new Promise((resume) => process.stdout.once('drain', resume))
  }
}

async function api(context: Context, options: ApiOptions & { json?: boolean }, given: string): Promise<void> {
  const { data, on, all } = options
  const method = options.method?.toUpperCase() ?? (data === undefined ? 'GET' : 'POST')
  if (!methods.some((one) => one === method)) throw usageError(`There is no method ${method}: ${methods.join(', ')}.`)
  if (data !== undefined && (method === 'GET' || method === 'HEAD')) throw usageError(`${method} has no --data.`)
  if (all && method !== 'GET') throw usageError('--all is for lists, which are read with GET.')
  const body = await bodyOf(data)
  if (on !== undefined && !given.includes('{')) throw usageError('--on is for names in braces, and the path has none.')
  const path = pathOf(given, await idsOf(context, on))
  if (all) return printAll(context, path)
  await print(await send(context, path, { method, ...(body !== undefined && { body }) }), options.json === true)
}

export function addApi(program: Command, running: Running): void {
  speaks(program.command('api'))
    .summary('send any request of the API')
    .description(
      'Sends a request with your key, and prints the answer: JSON on several lines, or on one with --json; anything else, such as a stream of events, as it arrives. The page /docs of the server lists all requests.',
    )
    .argument('<path>', 'such as /agent-runs, below /api/v1; {projectId} and {environmentId} stand for --on')
    .option('-X, --method <method>', 'default: GET, or POST with --data')
    .option('-d, --data <json>', 'the body: JSON, @FILE (JSON or YAML), or - for the standard input')
    .addOption(new Option('--on <place>', 'PROJECT, or PROJECT/KIND, for the names in braces'))
    .option('--all', 'all pages of a list, one line for each item')
    .addHelpText(
      'after',
      examples(
        'troupe api /agent-runs?states=failed --all | jq -r .id',
        'troupe api /projects/{projectId}/environments/{environmentId}/workflows --on shop/production',
        `troupe api /agent-runs -d '{"agentId": "agt_system_assistant", "query": "Hello"}'`,
        'troupe api /agent-runs/run_01h455vb4pex5vsknk084sn02q/stream',
      ),
    )
    .action(works<[string], ApiOptions>(running, api))
}
