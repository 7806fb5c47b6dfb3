/**
 * Operations over HTTP, through the Connection that the Agent's Deployment binds. Secrets are read at each call in their
 * pinned versions, so that disabled ones are not used. Source: contract 4, "HTTP operations"; requirement 3, "fails
 * closed"; trust 3.2.
 */
import { findPinnedConnection } from '../../../storage/delivery/pins.ts'
import type { Store } from '../../../storage/store.ts'
import type { GrantReference } from '../../accounts/oauth/grants.ts'
import { variablesIn } from '../../authoring/definitions/placeholders.ts'
import type { Operation } from '../../authoring/definitions/source.ts'
import type { HttpSettings } from '../../delivery/connections/settings-schema.ts'
import type { BundledAgent, BundledConnection } from '../../delivery/deployments/bundle.ts'
import type { DeployedBundle } from '../../delivery/deployments/bundles.ts'
import { isRequired } from '../../delivery/deployments/in-force.ts'
import type { CredentialReference } from '../../delivery/provider-credentials/secrets.ts'
import type { VariableReference } from '../../delivery/variables/values.ts'
import type { Secret } from '../../platform/operating/secret.ts'
import type { OutboundClient } from '../../platform/outbound/client.ts'
import { OutboundError, type OutboundErrorClass, UnsendableRequest } from '../../platform/outbound/error.ts'
import { SecretUnavailable } from '../../platform/secrets/unavailable.ts'
import { bindingUnavailable, OperationFailure, toolError } from './failure.ts'
import { answerBytesMax, readAnswer } from './http-answer.ts'
import { type HttpHandler, requestOf } from './http-request.ts'
import { Redaction } from './redaction.ts'

export interface HttpCallParts {
  store: Store
  outbound: OutboundClient
  credentials: { reveal(reference: CredentialReference): Promise<Secret> }
  variables: { reveal(reference: VariableReference): Promise<Secret> }
  /** Fresh tokens of consents. */
  grants: { reveal(reference: GrantReference): Promise<Secret> }
}

export interface HttpCall {
  bundle: DeployedBundle
  agentId: string
  /** `<definition>.<operation>` */
  name: string
  operation: Operation
  handler: HttpHandler
  input: unknown
  /** The same for a repeated call. */
  callKey: string
  signal: AbortSignal
}

interface Bound {
  connection: BundledConnection
  grantId: string | null
}

const timeoutMsDefault = 30_000
/** The shortest secret that is redacted in results. */
const resultCharactersMin = 8
const messageCharactersMin = 4
/** Failures after which the request may have taken effect. */
const uncertain: ReadonlySet<OutboundErrorClass> = new Set(['timeout', 'reset', 'invalid_response'])

export class HttpCalls {
  constructor(private readonly parts: HttpCallParts) {}

  /** The answer. Throws `OperationFailure`, or the signal's reason. */
  async make({ bundle, agentId, name, operation, handler, input, callKey, signal }: HttpCall): Promise<unknown> {
    const agent = bundle.agent(agentId)
    const isConnectionRequired = isRequired(agent, 'connection', handler.connection)
    const [{ settings, secret }, variables] = await Promise.all([
      closing(isConnectionRequired, async () => {
        const { connection, grantId } = await this.#connection(bundle, agentId, handler.connection)
        const found = await this.#secret(bundle, connection, grantId)
        return { settings: connection.settings as HttpSettings, secret: found }
      }),
      this.#variables(bundle, agent, agentId, handler),
    ])
    const credential = secretsOf(settings, secret)
    const request = await closing(isConnectionRequired, () =>
      requestOf(handler, settings, secret, { input, variables }),
    )
    if (operation.effect === 'write') request.headers['idempotency-key'] ??= callKey
    try {
      const answer = await this.parts.outbound.request({
        ...request,
        timeoutMs: operation.timeoutMs ?? timeoutMsDefault,
        bodyBytesMax: answerBytesMax,
        signal,
      })
      return readAnswer(answer, {
        operation: name,
        // a variable may be an ordinary word: it is kept in results, but redacted in error messages
        fromResults: new Redaction(credential, resultCharactersMin),
        fromMessages: new Redaction([...credential, ...variables.values()], messageCharactersMin),
      })
    } catch (error) {
      throw explained(error, name, operation)
    }
  }

  /** The bound Connection, if it is usable; `grantId` is its consent, if there is one. */
  async #connection(bundle: DeployedBundle, agentId: string, bindingKey: string): Promise<Bound> {
    const { store } = this.parts
    const bound = bundle.connection(agentId, bindingKey)
    if (bound?.kind !== 'http') throw bindingUnavailable(`There is no http Connection ${bindingKey} in the Deployment.`)
    const { connectionId, connectionVersionId } = bound
    const { environmentId } = bundle.bundle
    const found = await store.first(findPinnedConnection(store, { environmentId, connectionId, connectionVersionId }))
    if (!found?.settings) throw bindingUnavailable(`The Connection ${bound.name} (${connectionId}) was deleted.`)
    if (found.status !== 'active')
      throw bindingUnavailable(`The Connection ${bound.name} (${connectionId}) is ${found.status}.`)
    return { connection: bound, grantId: bound.grantId ?? found.oauth_grant_id }
  }

  async #secret(
    { bundle }: DeployedBundle,
    { credential }: BundledConnection,
    grantId: string | null,
  ): Promise<string | null> {
    const { organizationId } = bundle
    if (grantId !== null) return revealed(this.parts.grants.reveal({ organizationId, grantId }))
    if (!credential) return null
    return revealed(
      this.parts.credentials.reveal({ organizationId, credentialId: credential.id, version: credential.version }),
    )
  }

  async #variables(
    bundle: DeployedBundle,
    agent: BundledAgent | undefined,
    agentId: string,
    handler: HttpHandler,
  ): Promise<Map<string, string>> {
    const { path, query, headers, body } = handler
    const values = new Map<string, string>()
    for (const name of variablesIn([path, query, headers, body])) {
      const value = await closing(isRequired(agent, 'variable', name), () => {
        const pinned = bundle.variable(agentId, name)
        if (!pinned) throw bindingUnavailable(`There is no variable ${name} in the Deployment.`)
        const { organizationId } = bundle.bundle
        const { variableId, version } = pinned
        return revealed(this.parts.variables.reveal({ organizationId, variableId, version }))
      })
      values.set(name, value)
    }
    return values
  }
}

/** An unavailable binding fails the run if the Agent requires it, else only the call. */
async function closing<Value>(isRequiredByAgent: boolean, work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (isRequiredByAgent || !(error instanceof OperationFailure) || error.code !== 'binding_unavailable') throw error
    throw toolError(error.message, { cause: error })
  }
}

/** The secrets to redact; of `user:password` also the password alone. */
function secretsOf({ auth }: HttpSettings, secret: string | null): string[] {
  if (secret === null) return []
  return auth === 'basic' ? [secret, secret.slice(secret.indexOf(':') + 1)] : [secret]
}

async function revealed(revealing: Promise<Secret>): Promise<string> {
  try {
    return (await revealing).reveal()
  } catch (error) {
    if (error instanceof SecretUnavailable) throw bindingUnavailable(error.message, error)
    throw error
  }
}

/** The failure in words without addresses. */
function explained(error: unknown, name: string, { effect, idempotent }: Operation): unknown {
  if (error instanceof UnsendableRequest) return toolError(`${name} has an invalid request: ${error.message}`)
  if (!(error instanceof OutboundError)) return error
  const isUncertain = effect === 'write' && !idempotent && uncertain.has(error.errorClass)
  const doubt = isUncertain ? ' It may or may not have taken effect.' : ''
  return toolError(`${name} failed (${error.errorClass}): ${error.message}${doubt}`, { isUncertain, cause: error })
}
