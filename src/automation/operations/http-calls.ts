/**
 * Operations over HTTP, through the Connection that the Agent's Deployment binds. Secrets are read at each call in their
 * pinned versions, so that disabled ones are not used. Source: contract 4, "HTTP operations"; requirement 3, "fails
 * closed"; trust 3.2.
 */
import { getRunContext } from '../../../storage/runs/conversations.ts'
import { usesRunContext, variablesIn } from '../../authoring/definitions/placeholders.ts'
import type { Operation } from '../../authoring/definitions/source.ts'
import type { BundledAgent } from '../../delivery/deployments/bundle.ts'
import type { DeployedBundle } from '../../delivery/deployments/bundles.ts'
import { isRequired } from '../../delivery/deployments/in-force.ts'
import type { VariableReference } from '../../delivery/variables/values.ts'
import type { Secret } from '../../platform/operating/secret.ts'
import type { OutboundClient } from '../../platform/outbound/client.ts'
import { OutboundError, type OutboundErrorClass, UnsendableRequest } from '../../platform/outbound/error.ts'
import { type TraceContext, tracePairs } from '../../platform/tracing/trace-context.ts'
import {
  type BoundConnectionParts,
  BoundConnections,
  closing,
  fromMessagesOf,
  fromResultsOf,
  revealed,
} from './bound-connections.ts'
import { bindingUnavailable, isIdempotent, toolError } from './failure.ts'
import { answerBytesMax, readAnswer } from './http-answer.ts'
import { type HttpHandler, requestOf } from './http-request.ts'

export interface HttpCallParts extends BoundConnectionParts {
  outbound: OutboundClient
  variables: { reveal(reference: VariableReference): Promise<Secret> }
}

interface HttpCall {
  bundle: DeployedBundle
  agentId: string
  /** `<definition>.<operation>` */
  name: string
  operation: Operation
  handler: HttpHandler
  input: unknown
  /** The run that made the call; null for other callers. */
  agentRunId: string | null
  /** The same for a repeated call. */
  callKey: string
  /** The span of the call; null without a trace. */
  trace: TraceContext | null
  signal: AbortSignal
  /** Called just before the request of a write that must not be repeated; if it rejects, nothing is sent. */
  onSending?: (() => Promise<void>) | undefined
}

export const timeoutMsDefault = 30_000
/** Failures after which the request may have taken effect. */
const uncertain: ReadonlySet<OutboundErrorClass> = new Set(['timeout', 'reset', 'invalid_response'])

export class HttpCalls {
  readonly #connections: BoundConnections

  constructor(private readonly parts: HttpCallParts) {
    this.#connections = new BoundConnections(parts)
  }

  /** The answer. Throws `OperationFailure`, or the signal's reason. */
  async make({
    bundle,
    agentId,
    name,
    operation,
    handler,
    input,
    agentRunId,
    callKey,
    trace,
    signal,
    onSending,
  }: HttpCall): Promise<unknown> {
    const agent = bundle.agent(agentId)
    const isConnectionRequired = isRequired(agent, 'connection', handler.connection)
    const [{ settings, secret }, variables, runContext] = await Promise.all([
      this.#connections.usable(bundle, agentId, handler.connection),
      this.#variables(bundle, agent, agentId, handler),
      this.#runContext(handler, agentRunId),
    ])
    const connection = { settings, secret }
    const request = await closing(isConnectionRequired, () =>
      requestOf(handler, settings, secret, { input, runContext, variables }),
    )
    if (operation.effect === 'write') request.headers['idempotency-key'] ??= callKey
    // headers that the operation sets itself are kept
    if (trace) request.headers = { ...tracePairs(trace), ...request.headers }
    signal.throwIfAborted()
    // before that, nothing can have taken effect
    let isSent = false
    const beforeSending = async (inTime: AbortSignal) => {
      if (!isIdempotent(operation)) await onSending?.()
      inTime.throwIfAborted()
      isSent = true
    }
    try {
      const answer = await this.parts.outbound.request({
        ...request,
        timeoutMs: operation.timeoutMs ?? timeoutMsDefault,
        bodyBytesMax: answerBytesMax,
        signal,
        beforeSending,
      })
      return readAnswer(answer, {
        operation: name,
        // a variable may be an ordinary word: it is kept in results, but redacted in error messages
        fromResults: fromResultsOf(connection),
        fromMessages: fromMessagesOf(connection, variables.values()),
      })
    } catch (error) {
      throw explained(error, name, isSent ? operation : { ...operation, effect: 'read' })
    }
  }

  /** The run's context for its operations, if the handler uses it. */
  async #runContext({ path, query, headers, body }: HttpHandler, runId: string | null): Promise<unknown> {
    if (runId === null || !usesRunContext([path, query, headers, body])) return undefined
    const { store } = this.parts
    const row = await store.first(getRunContext(store, { runId }))
    return row && (JSON.parse(row.body) as unknown)
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

/** The failure in words without addresses. */
export function explained(error: unknown, name: string, operation: Operation): unknown {
  if (error instanceof UnsendableRequest) return toolError(`${name} has an invalid request: ${error.message}`)
  if (!(error instanceof OutboundError)) return error
  const isUncertain = !isIdempotent(operation) && uncertain.has(error.errorClass)
  const doubt = isUncertain ? ' It may or may not have taken effect.' : ''
  return toolError(`${name} failed (${error.errorClass}): ${error.message}${doubt}`, { isUncertain, cause: error })
}
