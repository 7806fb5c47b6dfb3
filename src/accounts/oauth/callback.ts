/**
 * The end of a consent flow: checks the returning browser and its state, once, and exchanges the code. Every outcome is an
 * address for the browser. Source: requirement 4.2, "Callback rules"; contract 4, "OAuth".
 */

import { insertUsedFlow } from '../../../storage/accounts/oauth-flows.ts'
import { UniqueViolation } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import { ApiError } from '../../platform/http/answers/errors.ts'
import type { RequestId } from '../../platform/http/answers/request-id.ts'
import type { AuditEntry, AuditSink } from '../../platform/http/changes/audit-trail.ts'
import { isWithinScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Authenticator, Caller, Identity } from '../../platform/http/guard/caller.ts'
import type { Tree } from '../../platform/http/guard/parts.ts'
import type { Logger } from '../../platform/operating/logger.ts'
import { SecretUnavailable } from '../../platform/secrets/unavailable.ts'
import type { Vault } from '../../platform/secrets/vault.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { ClientSecrets } from '../integrations/client-secrets.ts'
import type { Presets } from '../presets/catalogue.ts'
import { type ConnectingParts, connect, NoPlace } from './connecting.ts'
import { belongs, type Flow, type FlowCookies, isState } from './flow.ts'
import { accountOf } from './identity.ts'
import { ProviderFailure, type ProviderParts } from './provider-answer.ts'
import { consoleRoot, type OutcomeCode, outcomeAddress } from './return-to.ts'

export interface FlowEndParts extends ConnectingParts {
  store: Store
  clock: Pick<Clock, 'now'>
  vault: Vault
  logger: Pick<Logger, 'info' | 'warn'>
  presets: Pick<Presets, 'find'>
  clients: Pick<ClientSecrets, 'reveal'>
  provider: ProviderParts
  flows: FlowCookies
  authenticator: Pick<Authenticator, 'authenticate'>
  tree: Tree
  audit: AuditSink
  consoleOrigin(): string
}

/** The query parameters of the provider's redirect. */
interface CallbackQuery {
  code?: string
  state?: string
  error?: string
  /** The issuer, by RFC 9207. */
  iss?: string
}

/** The request of the returning browser. */
interface Arrival extends RequestId {
  presetKey: string
  query: CallbackQuery
  request: Request
  identity: Identity
  address: string | undefined
}

/** The redirect of the browser; `cookie` deletes the flow's cookie. */
interface Return {
  location: string
  cookie?: string
}

/** Why there is no Connection. */
class FlowFailure extends Error {
  override readonly name = 'FlowFailure'

  constructor(
    readonly code: OutcomeCode,
    readonly reason: string,
  ) {
    super(`A consent flow has failed: ${reason}.`)
  }
}

const operation = 'completeOAuth'

export class FlowEnd {
  constructor(private readonly parts: FlowEndParts) {}

  /** Throws only unexpected errors. */
  async arrive(arrival: Arrival): Promise<Return> {
    const { flows, clock, consoleOrigin } = this.parts
    const { query, presetKey, request, identity } = arrival
    const root = { location: consoleRoot(consoleOrigin()) }
    const { state } = query
    if (!isState(state)) return root
    const flow = await flows.open(state, request)
    if (flow === 'absent') return root
    const cookie = flows.clear(state)
    if (flow === 'unreadable') return { ...root, cookie }
    // another caller's flow stays as it is, so that its owner can still complete it
    if (!belongs(flow, { state, presetKey, identity })) return root
    if (flow.expiresAt <= clock.now()) return { ...root, cookie }
    const back = (outcome: Parameters<typeof outcomeAddress>[2]): Return => ({
      location: outcomeAddress(flow.returnTo, consoleOrigin(), outcome),
      cookie,
    })
    try {
      return back({ connectionId: await this.#complete(flow, arrival) })
    } catch (error) {
      return back({ code: this.#refused(flow, arrival, error) })
    }
  }

  /** The Connection's id. Throws `FlowFailure`, `ProviderFailure`, `NoPlace`. */
  async #complete(flow: Flow, arrival: Arrival): Promise<string> {
    const { presets, provider, clock, audit } = this.parts
    const { code, error, iss } = arrival.query
    await this.#consume(flow)
    await this.#assertMay(flow, arrival)
    if (error !== undefined) {
      throw new FlowFailure(error === 'access_denied' ? 'access_denied' : 'provider_error', 'the provider said so')
    }
    if (!code) throw new FlowFailure('provider_error', 'there is no code')
    const preset = presets.find(flow.presetKey)
    if (!preset) throw new FlowFailure('integration_unavailable', 'the preset is gone')
    // an answer of another provider than the one that was asked
    if (iss !== undefined && preset.issuer !== undefined && iss !== preset.issuer) {
      throw new FlowFailure('exchange_failed', 'another issuer')
    }
    const client = await this.#client(flow)
    const { exchangeCode } = await import('./provider.ts')
    const tokens = await exchangeCode(provider, preset, client, { code, verifier: flow.verifier })
    const account = await accountOf(provider, preset, tokens, { clientId: client.clientId, now: clock.now() })
    return connect(this.parts, { flow, preset, account, tokens }, (id) => [
      audit.write(auditEntry(flow, arrival, 'allowed', id)),
    ])
  }

  /** Before anything is asked of the provider: a code is good for one request, and so is a state. */
  async #consume({ stateHash, expiresAt }: Flow): Promise<void> {
    const { store } = this.parts
    try {
      await store.commit([insertUsedFlow(store, { state_hash: stateHash, expires_at: expiresAt })])
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error
      throw new FlowFailure('state_reused', 'the state came back before')
    }
  }

  /** The authority of now counts, not that at the start. */
  async #assertMay({ organizationId, projectId, environmentId }: Flow, { request }: Arrival): Promise<void> {
    const { authenticator, tree } = this.parts
    const caller = await this.#caller(() =>
      authenticator.authenticate(request.headers.get('authorization'), request, organizationId),
    )
    const place = { projectId, environmentId, agentId: null }
    const project = await tree.project(organizationId, projectId)
    const environment = project && (await tree.environment(projectId, environmentId))
    const isThere = project && environment && !project.deleting && !environment.deleting
    if (
      !isThere ||
      caller.organization.status === 'deleting' ||
      !isWithinScope(caller, 'connections:start-oauth', place)
    ) {
      throw new FlowFailure('permission_denied', 'the caller may not connect the Environment any more')
    }
  }

  async #caller(authenticate: () => Caller | Promise<Caller>): Promise<Caller> {
    try {
      return await authenticate()
    } catch (error) {
      const isRefusal = error instanceof ApiError && (error.status === 403 || error.status === 404)
      throw isRefusal ? new FlowFailure('permission_denied', 'the caller has left the organization') : error
    }
  }

  async #client({ organizationId, integrationId, integrationVersion: version }: Flow) {
    try {
      return await this.parts.clients.reveal({ organizationId, integrationId, version })
    } catch (error) {
      if (!(error instanceof SecretUnavailable)) throw error
      throw new FlowFailure('integration_unavailable', `the client is ${error.reason}`)
    }
  }

  /** The code for the page; the details are for the log. */
  #refused(flow: Flow, arrival: Arrival, error: unknown): OutcomeCode {
    const { audit, logger } = this.parts
    const refusal = explained(error)
    if (!refusal) throw error
    const { code, reason } = refusal
    const { requestId, requestIdFrom } = arrival
    logger.info({ requestId, requestIdFrom, presetKey: flow.presetKey, code, reason }, 'a consent flow has failed')
    // counted, since it has changed nothing
    const isDenied = code === 'permission_denied'
    audit.refused(auditEntry(flow, arrival, isDenied ? 'denied' : 'failed', null), isDenied ? 403 : 409)
    return code
  }
}

/** An expected failure. */
function explained(error: unknown): { code: OutcomeCode; reason: string } | undefined {
  if (error instanceof FlowFailure) return error
  if (error instanceof ProviderFailure) {
    const { kind, reason } = error
    return { code: kind === 'unavailable' ? 'provider_unavailable' : 'exchange_failed', reason }
  }
  if (!(error instanceof NoPlace)) return undefined
  return {
    code: error.reason === 'gone' ? 'permission_denied' : 'exchange_failed',
    reason: error.message,
  }
}

const auditEntry = (
  { organizationId }: Flow,
  { identity, requestId, requestIdFrom, address }: Arrival,
  outcome: AuditEntry['outcome'],
  id: string | null,
): AuditEntry => ({
  organizationId,
  actor: identity.principal,
  ip: address ?? null,
  operation,
  resource: { type: 'connection', id },
  outcome,
  requestId,
  requestIdFrom,
  changed: [],
})
