/**
 * Every text that the API takes, read out of its document, and what becomes of markup in it: it was stored, so that pages
 * have to show it, or it is refused. A text that is neither is one that nobody has thought of.
 */
import type { Client, Reply } from '../../support/client.ts'

// biome-ignore lint/suspicious/noExplicitAny: JSON Schema, and bodies of requests
type Loose = any
/** Names of properties; `[]` for items, `{}` for any name, `*` for whatever is below. */
type Path = readonly string[]

export interface Operation {
  method: string
  /** `/api/v1/projects/{projectId}` */
  path: string
  id: string
  /** Where in the body texts are. */
  texts: Path[]
}

/** Texts that pages never show as they were sent, or show as a text of the same name that is fed. */
export const neverShown: { texts: RegExp; why: string }[] = [
  {
    texts: /^(createSession|changePassword|acceptInvitation|joinOrganization|requestPasswordReset|resetPassword) /,
    why: 'Who somebody is; not to be seen again.',
  },
  {
    texts: /^(requestDeviceAuthorization|exchangeDeviceCode|approveDeviceAuthorization) /,
    why: 'Shown to whoever consents, by a code that lives for minutes; what comes of it is a key, whose name is fed.',
  },
  { texts: /^createProviderCredential(Version)? secret$/, why: 'Secrets are not to be seen again.' },
  {
    texts: /^createDefinitionRevision source\.operations\.\[\]\.handler\.styles\.\{\}\.name$/,
    why: 'Its pattern takes no markup; no operation here has styles.',
  },
  {
    texts: /^(preview\w+|simulate\w+|importOperations|planApply|callTool) /,
    why: 'What something would do: nothing is stored.',
  },
  {
    texts:
      /^(callAttempt|leaseAttempt|reportAttempt|completeAttempt|startAgentStep|endAgentStep|writeCheckpoint|streamAttemptModel)/,
    why: 'Reported by the Runner with the token of a lease: here it reports runs of hostile words.',
  },
  { texts: /^startAgentRun history\.\[\]\.content$/, why: 'Stands where queries do, which are fed.' },
  { texts: /^startAgentRun context\./, why: 'For operations alone; shown where their requests are, and nowhere else.' },
  {
    texts: /^(leaseWorkerCalls|heartbeatWorkerCall|completeWorkerCalls?) /,
    why: 'Told by a worker with the token of a lease; outputs stand where those of operations do, which are fed.',
  },
  { texts: /^createApply manifest\./, why: 'Becomes what its parts are elsewhere, where it is fed.' },
  { texts: /^createApply expectedPlanDigest$/, why: 'Compared, and not stored.' },
  { texts: /^giveDelegateResult /, why: 'Stands where results of tools do, which are fed.' },
  { texts: /^resolveUnknownWorkflowStep outcome/, why: 'Stands where outputs of steps do, which are fed.' },
  { texts: /^createOrganization name$/, why: 'The name that updateOrganization changes, which is fed.' },
  { texts: /^resolveOperationInvocation note$/, why: 'Stands where notes of decisions do, which are fed.' },
  { texts: /^createBulkAction query$/, why: 'The next message of runs, which continueAgentRun takes and is fed.' },
  { texts: /^createBulkAction filter\./, why: 'Compared with runs; ids that there are not are refused.' },
  { texts: /^approveOperation note$/, why: 'The note that rejectOperation takes, which is fed.' },
]

export const markup = '<img src=x onerror="alert()">'
const named = ({ id }: Operation, path: Path) => `${id} ${path.join('.')}`

/** The paths of texts in a schema; a choice among given words is none. */
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

/** What takes a body, of the API document. */
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

/** Whether there is a text with markup at the path; a property's name counts below `*`. */
function hasMarkup(value: Loose, [step, ...rest]: Path): boolean {
  if (step === undefined) return typeof value === 'string' && value.includes('<img')
  if (step === '*') return JSON.stringify(value)?.includes('<img') ?? false
  if (typeof value !== 'object' || value === null) return false
  if (step === '[]' || step === '{}') return Object.values(value).some((each) => hasMarkup(each, rest))
  return hasMarkup(value[step], rest)
}

/** Whether the value goes on along the path, but for its last step. */
const leadsTo = (value: Loose, [step, ...rest]: Path): boolean => {
  if (typeof value !== 'object' || value === null) return step === undefined
  if (rest.length === 0) return true
  if (step === '[]' || step === '{}') return Object.values(value).some((each) => leadsTo(each, rest))
  return leadsTo(value[step as string], rest)
}

/** The value with markup at the path, in the entry of a list or map that leads there. */
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

/** A client that remembers what was accepted. */
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

/** Refused for this text, and nothing else: the issue names it, or the same body without it was accepted. */
function isRefused({ status, body }: Reply, text: Path, isKnown: boolean): boolean {
  const name = text.findLast((step) => !['[]', '{}', '*'].includes(step))
  const issues: { path: string }[] = body?.error?.details?.issues ?? []
  if (status === 422) return issues.some(({ path }) => path.split('/').includes(name as string))
  return isKnown && (status === 400 || status === 404)
}

export interface Verdicts {
  fed: string[]
  refused: string[]
  /** Neither, with the status of the answer. */
  unknown: Record<string, number>
}

/** The path of what makes that which the path changes: there a text of the same name is the same field. */
const maker = (path: string) => path.replace(/\/\{[^}]+\}$/, '')

/**
 * What becomes of markup in each text: fed when something with it was accepted, by the operation or by the one that makes
 * what it changes; all others are tried, in a body that was accepted but for this text.
 */
export async function verdictsOn(
  operations: Operation[],
  accepted: readonly Sent[],
  client: Client,
  addressOf: (template: string) => string,
): Promise<Verdicts> {
  const verdicts: Verdicts = { fed: [], refused: [], unknown: {} }
  const decided = new Map<string, 'fed' | 'refused'>()
  const makersFirst = operations.toSorted(
    (one, other) => Number(one.method !== 'POST') - Number(other.method !== 'POST'),
  )
  for (const operation of makersFirst) {
    const own = accepted.filter(({ method, path }) => method === operation.method && matches(operation.path, path))
    for (const text of operation.texts) {
      const field = text.filter((step) => step !== 'version').join('.')
      const key = `${operation.path} ${field}`
      const sibling = operation.method === 'PATCH' ? decided.get(`${maker(operation.path)} ${field}`) : undefined
      let verdict = own.some(({ body }) => hasMarkup(body, text)) ? 'fed' : sibling
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
