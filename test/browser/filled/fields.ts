/**
 * Every text field that the API accepts, read from its document, and what happens to markup in it: it was stored, so that
 * pages must display it safely, or it is refused. A field with neither outcome was overlooked.
 */
import type { Client, Reply } from '../../support/client.ts'

// biome-ignore lint/suspicious/noExplicitAny: JSON Schema, and bodies of requests
type Loose = any
/** Names of properties; `[]` for items, `{}` for any name, `*` for whatever is below. */
type Path = readonly string[]

interface Operation {
  method: string
  /** `/api/v1/projects/{projectId}` */
  path: string
  id: string
  /** The paths of the texts in the body. */
  texts: Path[]
}

/** Texts that pages never display as sent, or display like a covered field of the same name. */
export const neverShown: { texts: RegExp; why: string }[] = [
  {
    texts: /^(createSession|changePassword|acceptInvitation|joinOrganization|requestPasswordReset|resetPassword) /,
    why: 'An identity; never displayed.',
  },
  {
    texts: /^(requestDeviceAuthorization|exchangeDeviceCode|approveDeviceAuthorization) /,
    why: 'Shown to the user who approves a short-lived code; it becomes the name of a key, which is covered.',
  },
  { texts: /^createProviderCredential(Version)? secret$/, why: 'Secrets are never displayed.' },
  {
    texts: /^createDefinitionRevision source\.operations\.\[\]\.handler\.styles\.\{\}\.name$/,
    why: 'Its pattern allows no markup; no operation here has styles.',
  },
  {
    texts: /^(preview\w+|simulate\w+|importOperations|planApply|callTool) /,
    why: 'A preview: nothing is stored.',
  },
  {
    texts:
      /^(callAttempt|leaseAttempt|reportAttempt|completeAttempt|startAgentStep|endAgentStep|writeCheckpoint|streamAttemptModel)/,
    why: 'Reported by the Runner with a lease token: here it reports runs with hostile texts.',
  },
  { texts: /^startAgentRun history\.\[\]\.content$/, why: 'Shown where queries are, which are covered.' },
  { texts: /^startAgentRun context\./, why: 'For operations only; shown with their requests, and nowhere else.' },
  {
    texts: /^(leaseWorkerCalls|heartbeatWorkerCall|completeWorkerCalls?) /,
    why: 'Reported by a worker with a lease token; shown where outputs of operations are, which are covered.',
  },
  { texts: /^createApply manifest\./, why: 'Its parts become other resources, where they are covered.' },
  { texts: /^createApply expectedPlanDigest$/, why: 'Compared, and not stored.' },
  { texts: /^giveDelegateResult /, why: 'Shown where results of tools are, which are covered.' },
  { texts: /^resolveUnknownWorkflowStep outcome/, why: 'Shown where outputs of steps are, which are covered.' },
  {
    texts: /^createDefinitionRevision source\.steps\.\[\]\.(when|forEach|waitFor|compensate)/,
    why: 'Shown where operations of steps are, which are covered.',
  },
  { texts: /^sendWorkflowEvent /, why: 'Shown where outputs of steps are, which are covered.' },
  { texts: /^createOrganization name$/, why: 'The name that updateOrganization changes, which is covered.' },
  { texts: /^resolveOperationInvocation note$/, why: 'Shown where notes of decisions are, which are covered.' },
  {
    texts: /^forkAgentRun /,
    why: 'Messages of a run, as in startAgentRun and continueAgentRun, where they are covered.',
  },
  { texts: /^createBulkAction query$/, why: 'The next message of runs, as in continueAgentRun, where it is covered.' },
  { texts: /^createBulkAction filter\./, why: 'Compared with runs; unknown ids are refused.' },
  { texts: /^approveOperation note$/, why: 'The note of rejectOperation, which is covered.' },
]

const markup = '<img src=x onerror="alert()">'
const named = ({ id }: Operation, path: Path) => `${id} ${path.join('.')}`

/** The paths of texts in a schema, except enumerations. */
function textsIn(schema: Loose, components: Record<string, Loose>, inside: readonly Loose[] = []): Path[] {
  const shape = schema?.$ref ? components[schema.$ref.split('/').at(-1)] : schema
  if (!shape || inside.includes(shape)) return []
  const below = (part: Loose, ...names: string[]) =>
    textsIn(part, components, [...inside, shape]).map((path) => [...names, ...path])
  const choices = [...(shape.anyOf ?? []), ...(shape.oneOf ?? []), ...(shape.allOf ?? [])]
  if (choices.length > 0) return choices.flatMap((choice: Loose) => below(choice))
  const types = [shape.type].flat()
  if (shape.enum || shape.const !== undefined || shape.format === 'binary') return []
  if (types.includes('string')) return [[]]
  const maps = [shape.additionalProperties, ...Object.values(shape.patternProperties ?? {})]
  const found = [
    ...Object.entries(shape.properties ?? {}).flatMap(([name, part]) => below(part, name)),
    ...below(shape.items, '[]'),
    ...maps.filter((part) => typeof part === 'object').flatMap((part) => below(part, '{}')),
  ]
  const isOpen = shape.additionalProperties === true || types[0] === undefined
  return isOpen ? [...found, ['*']] : found
}

/** The operations of the API document with a body. */
export function operationsOf({ paths, components }: Loose): Operation[] {
  return Object.entries<Loose>(paths).flatMap(([path, methods]) =>
    Object.entries<Loose>(methods).flatMap(([method, { operationId, requestBody }]) => {
      const schema = requestBody?.content['application/json']?.schema
      if (!schema) return []
      const texts = new Map(textsIn(schema, components.schemas).map((text) => [text.join('.'), text]))
      return [{ method: method.toUpperCase(), path, id: operationId, texts: [...texts.values()] }]
    }),
  )
}

/** Whether there is a text with markup at the path; a property name counts below `*`. */
function hasMarkup(value: Loose, [step, ...rest]: Path): boolean {
  if (step === undefined) return typeof value === 'string' && value.includes('<img')
  if (step === '*') return JSON.stringify(value)?.includes('<img') ?? false
  if (typeof value !== 'object' || value === null) return false
  if (step === '[]' || step === '{}') return Object.values(value).some((each) => hasMarkup(each, rest))
  return hasMarkup(value[step], rest)
}

/** Whether the value contains the path, except for its last step. */
const leadsTo = (value: Loose, [step, ...rest]: Path): boolean => {
  if (typeof value !== 'object' || value === null) return step === undefined
  if (rest.length === 0) return true
  if (step === '[]' || step === '{}') return Object.values(value).some((each) => leadsTo(each, rest))
  return leadsTo(value[step as string], rest)
}

/** The value with markup at the path, in the first list or map entry that contains it. */
function withMarkup(value: Loose, [step, ...rest]: Path): Loose {
  if (step === undefined || step === '*') return markup
  const known = typeof value === 'object' && value !== null ? value : step === '[]' ? [] : {}
  const name =
    step === '[]' || step === '{}'
      ? (Object.keys(known).find((name) => leadsTo(known[name], rest)) ?? (step === '[]' ? '0' : 'any'))
      : step
  const changed = withMarkup(known[name], rest)
  return Array.isArray(known) ? Object.assign([...known], { [name]: changed }) : { ...known, [name]: changed }
}

interface Sent {
  method: string
  path: string
  body: Loose
}

const matches = (template: string, path: string) =>
  new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(path.split('?')[0] as string)

/** A client that records the accepted requests. */
export function recorded(client: Client): { client: Client; accepted: Sent[] } {
  const accepted: Sent[] = []
  const noting =
    (method: 'post' | 'patch' | 'put'): Client['post'] =>
    async (path, body, options): Promise<Reply> => {
      const reply = await client[method](path, body, options)
      if (reply.status < 300) accepted.push({ method: method.toUpperCase(), path, body })
      return reply
    }
  return { accepted, client: { ...client, post: noting('post'), patch: noting('patch'), put: noting('put') } }
}

/** Whether the request was refused for this text only: the issue names it, or the same body without it was accepted. */
function isRefused({ status, body }: Reply, text: Path, isKnown: boolean): boolean {
  const name = text.findLast((step) => !['[]', '{}', '*'].includes(step))
  const issues: { path: string }[] = body?.error?.details?.issues ?? []
  if (status === 422) return issues.some(({ path }) => path.split('/').includes(name as string))
  return isKnown && (status === 400 || status === 404)
}

interface Verdicts {
  covered: string[]
  refused: string[]
  /** Neither of the two, with the status of the response. */
  unknown: Record<string, number>
}

/** The path of the operation that creates what this path updates: a text of the same name there is the same field. */
const maker = (path: string) => path.replace(/\/\{[^}]+\}$/, '')

/**
 * The outcome of markup in each text: covered if a request with it was accepted, by the operation or by the one creating
 * what it updates; all others are tried, in a body that was accepted without markup.
 */
export async function verdictsOn(
  operations: Operation[],
  accepted: readonly Sent[],
  client: Client,
  addressOf: (template: string) => string,
): Promise<Verdicts> {
  const verdicts: Verdicts = { covered: [], refused: [], unknown: {} }
  const decided = new Map<string, 'covered' | 'refused'>()
  const makersFirst = operations.toSorted(
    (one, other) => Number(one.method !== 'POST') - Number(other.method !== 'POST'),
  )
  for (const operation of makersFirst) {
    const own = accepted.filter(({ method, path }) => method === operation.method && matches(operation.path, path))
    for (const text of operation.texts) {
      const field = text.filter((step) => step !== 'version').join('.')
      const key = `${operation.path} ${field}`
      const sibling = operation.method === 'PATCH' ? decided.get(`${maker(operation.path)} ${field}`) : undefined
      let verdict = own.some(({ body }) => hasMarkup(body, text)) ? 'covered' : sibling
      if (!verdict) {
        const base = own.find(({ body }) => leadsTo(body, text)) ?? own[0]
        const path = base?.path ?? addressOf(operation.path)
        const body = withMarkup(base?.body, text)
        const reply = await client.call(operation.method, path, body, { unchecked: true })
        if (isRefused(reply, text, base !== undefined)) verdict = 'refused'
        else verdicts.unknown[named(operation, text)] = reply.status
      }
      if (verdict) {
        decided.set(key, verdict)
        verdicts[verdict].push(named(operation, text))
      }
    }
  }
  return verdicts
}
