/**
 * What an approval would let happen: the request of its call, rendered as it would be sent, with the names of secrets in
 * their place. Nothing secret is read for it. Source: contract 4, "HTTP operations"; requirement 9.2.
 */
import type { ApprovalWithCall } from '../../../storage/automation/approvals.ts'
import { findCredential } from '../../../storage/delivery/provider-credentials.ts'
import type { Store } from '../../../storage/store.ts'
import { variablesIn } from '../../authoring/definitions/placeholders.ts'
import type { Handler, Operation } from '../../authoring/definitions/source.ts'
import type { HttpSettings } from '../../delivery/connections/settings-schema.ts'
import type { BundledConnection } from '../../delivery/deployments/bundle.ts'
import type { Bundles, DeployedBundle } from '../../delivery/deployments/bundles.ts'
import { boundConnection } from '../operations/bound-connections.ts'
import { bindingUnavailable, OperationFailure, toolError } from '../operations/failure.ts'
import { type HttpHandler, requestOf } from '../operations/http-request.ts'
import { renderText } from '../operations/rendering.ts'
import { Room } from '../operations/room.ts'
import { shownRequest, withNames } from '../operations/withheld.ts'
import { type ApprovalRequest, headerTextMax, type Target, textMax, type Withheld } from './request-schema.ts'

interface RequestParts {
  store: Store
  bundles: Bundles
}

interface Call {
  row: ApprovalWithCall
  bundle: DeployedBundle
  operation: Operation
}

/** What is found out about a call, also when it cannot be made. */
interface Drawn {
  target: Target | null
  withheld: Withheld[]
  problem: OperationFailure | null
}

type HttpTarget = Extract<Target, { type: 'http' }>

const noVariables: ReadonlyMap<string, string> = new Map()
const secretShown = '{{credential}}'

/** Throws nothing for calls that would fail: `problem` says why. */
export async function approvalRequestOf(parts: RequestParts, row: ApprovalWithCall): Promise<ApprovalRequest> {
  const bundle = await parts.bundles.find(row.deployment_id)
  const operation = bundle?.operation(row.operation)
  const drawn =
    bundle && operation
      ? await draw(parts.store, { row, bundle, operation })
      : without(bindingUnavailable('The Deployment of the call was deleted.'))
  const { target, truncated } = bounded(drawn.target)
  const { withheld, problem } = drawn
  return {
    operation: row.operation,
    effect: operation?.effect ?? null,
    idempotent: operation?.idempotent ?? null,
    target,
    withheld,
    truncated,
    problem: problem && { code: problem.code, message: problem.message },
  }
}

const without = (problem: OperationFailure): Drawn => ({ target: null, withheld: [], problem })
const calling = (target: Target): Drawn => ({ target, withheld: [], problem: null })

async function draw(store: Store, call: Call): Promise<Drawn> {
  const { handler } = call.operation
  try {
    switch (handler.type) {
      case 'http':
        return await overConnection(store, call, handler, (bound) => httpTarget(call, handler, bound))
      case 'mcp':
        return await overConnection(store, call, handler, ({ connection, settings, named, secret }) => ({
          target: { type: 'mcp', connection: named, url: settings.baseUrl, tool: handler.tool },
          withheld: [...headersOf(connection), ...secret],
          problem: null,
        }))
      case 'agent':
        return agentCall(call, handler)
      case 'entity':
        return calling({ type: 'entity', entity: handler.entity, action: handler.action })
      case 'worker':
        return calling({ type: 'worker', queue: handler.queue })
      default:
        return calling({ type: 'echo' })
    }
  } catch (error) {
    if (error instanceof OperationFailure) return without(error)
    throw error
  }
}

function agentCall({ row, bundle }: Call, { agent, query }: Extract<Handler, { type: 'agent' }>): Drawn {
  const found = bundle.bundle.agents.find(({ slug }) => slug === agent)
  const values = { input: JSON.parse(row.input) as unknown, variables: noVariables, room: new Room() }
  const target: Target = {
    type: 'agent',
    agent,
    agentId: found?.agentId ?? null,
    query: renderText(query, values) ?? '',
  }
  const problem = found ? null : toolError(`${row.operation} runs the Agent ${agent}, which is not in the Deployment.`)
  return { target, withheld: [], problem }
}

interface BoundForShow {
  connection: BundledConnection
  settings: HttpSettings
  named: HttpTarget['connection']
  /** The credential, where the Connection sends one. */
  secret: Withheld[]
}

/** A Connection that cannot be used now is shown all the same. */
async function overConnection(
  store: Store,
  { row, bundle }: Call,
  { connection: bindingKey }: { connection: string },
  show: (bound: BoundForShow) => Drawn,
): Promise<Drawn> {
  const connection = bundle.connection(row.agent_id, bindingKey)
  let problem: OperationFailure | null = null
  try {
    await boundConnection(store, bundle, row.agent_id, bindingKey)
  } catch (error) {
    if (!(error instanceof OperationFailure)) throw error
    problem = error
  }
  if (connection?.kind !== 'http') return { target: null, withheld: [], problem }
  const settings = connection.settings as HttpSettings
  const label = await labelOf(store, row.organization_id, connection)
  const named = { id: connection.connectionId, name: connection.name, bindingKey }
  const secret: Withheld[] = settings.auth === undefined ? [] : [{ name: 'credential', kind: 'credential', label }]
  const drawn = show({ connection, settings, named, secret })
  return { ...drawn, problem: problem ?? drawn.problem }
}

async function labelOf(store: Store, organizationId: string, { credential }: BundledConnection) {
  const found = credential && (await store.first(findCredential(store, { id: credential.id, organizationId })))
  return found?.label ?? null
}

function httpTarget({ row, bundle, operation }: Call, handler: HttpHandler, bound: BoundForShow) {
  const { connection, settings, named: connectionOfCall, secret } = bound
  const own = withNames(handler)
  const ofConnection = headersOf(connection)
  const headers = Object.fromEntries(
    Object.keys(settings.headers ?? {}).map((name) => [name, `{{${shownNameOf(name)}}}`]),
  )
  const plain: HttpSettings = { baseUrl: settings.baseUrl, headers }
  const given = { input: JSON.parse(row.input) as unknown, variables: noVariables }
  const rendered = shownRequest(requestOf(own.handler, plain, null, given), own)
  Object.assign(rendered.headers, credentialShown(settings))
  if (operation.effect === 'write') rendered.headers['idempotency-key'] ??= row.invocation_id
  const target: HttpTarget = {
    type: 'http',
    connection: connectionOfCall,
    method: rendered.method,
    url: rendered.url,
    headers: Object.entries(rendered.headers).map(([name, value]) => ({ name, value })),
    body: rendered.body ?? null,
  }
  const named = own.names.map(
    (name): Withheld => ({ name, kind: name.startsWith('run.') ? 'runContext' : 'variable', label: null }),
  )
  const missing = [...variablesIn(own.names.map((name) => `{{${name}}}`))].find(
    (name) => !bundle.variable(row.agent_id, name),
  )
  const problem =
    missing === undefined ? null : bindingUnavailable(`There is no variable ${missing} in the Deployment.`)
  return { target, withheld: [...named, ...ofConnection, ...secret], problem }
}

/** The header with the secret, by its name. */
function credentialShown({ auth, headerName }: HttpSettings): Record<string, string> {
  if (auth === undefined) return {}
  if (auth === 'header') return { [(headerName ?? 'authorization').toLowerCase()]: secretShown }
  return { authorization: `${auth === 'bearer' ? 'Bearer' : 'Basic'} ${secretShown}` }
}

const shownNameOf = (name: string) => `connection.headers.${name.toLowerCase()}`

/** Withholds headers that a Connection sends with every request: an approver may not be allowed to read its settings. */
const headersOf = ({ settings }: BundledConnection): Withheld[] =>
  Object.keys((settings as HttpSettings).headers ?? {}).map((name) => ({
    name: shownNameOf(name),
    kind: 'connectionHeader',
    label: null,
  }))

/** Long texts are cut: it is for reading. */
function bounded(target: Target | null): { target: Target | null; truncated: boolean } {
  let truncated = false
  const cut = (text: string, max: number) => {
    if (text.length <= max) return text
    truncated = true
    return `${text.slice(0, max).toWellFormed()}…`
  }
  if (target?.type === 'agent') return { target: { ...target, query: cut(target.query, textMax) }, truncated }
  if (target?.type !== 'http') return { target, truncated }
  const headers = target.headers.map(({ name, value }) => ({ name, value: cut(value, headerTextMax) }))
  const { url, body } = target
  const shown = { ...target, url: cut(url, headerTextMax), headers, body: body === null ? null : cut(body, textMax) }
  return { target: shown, truncated }
}
