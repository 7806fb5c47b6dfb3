/**
 * Performs operations of a Deployment: checks grant and input, calls the handler, checks the output. The invocation decides
 * when. Source: contract 3, "operations source"; contract 4, "HTTP operations"; contract 6, "Precise points".
 */
import type { ServerWork } from '../../../machines/run.ts'
import type { CanceledFate } from '../../../machines/worker-call.ts'
import type { Handler, Operation } from '../../authoring/definitions/source.ts'
import type { BundledAgent } from '../../delivery/deployments/bundle.ts'
import type { DeployedBundle } from '../../delivery/deployments/bundles.ts'
import type { TraceContext } from '../../platform/tracing/trace-context.ts'
import type { By } from '../../runtime/kind.ts'
import type { EntityCalls } from '../entities/calls.ts'
import type { McpCalls } from '../mcp/mcp-calls.ts'
import type { PreparedCall, WorkerCalls } from '../workers/worker-calls.ts'
import type { AgentCalls } from './agent-calls.ts'
import { CallPlaces } from './call-places.ts'
import { isIdempotent, toolError } from './failure.ts'
import { assertFits } from './fitting.ts'
import { type HttpCalls, timeoutMsDefault } from './http-calls.ts'

interface OperationRequest {
  bundle: DeployedBundle
  /** The Agent whose grants, bindings and variables apply. */
  agent: BundledAgent
  /** `<definition>.<operation>` */
  name: string
  input: unknown
}

/** An admitted call. */
interface NewCall extends OperationRequest {
  operation: Operation
  callKey: string
  /** The input as JSON. */
  inputText: string
  /** The span of the call, as stored. */
  trace: string | null
}

interface Performance extends OperationRequest {
  /** Identifies the call to the outside: the same for a repeated call. */
  callKey: string
  /** The run that made the call; null for other callers. */
  agentRunId: string | null
  by: By
  /** The span of the call; null without a trace. */
  trace: TraceContext | null
  signal: AbortSignal
  /**
   * Called just before the request of a write that must not be repeated: from then on it should finish. If it rejects,
   * nothing is sent.
   */
  onSending?: (() => Promise<void>) | undefined
}

type Carry<Type extends Handler['type']> = (
  call: Performance & { operation: Operation; handler: Extract<Handler, { type: Type }> },
) => unknown
type Carriers = { [Type in Handler['type']]: Carry<Type> }

interface OperationParts {
  http: HttpCalls
  mcp: McpCalls
  workers: WorkerCalls
  agents: AgentCalls
  /** Omitted if the server has no entities. */
  entities?: EntityCalls | undefined
}

/** Whether its execution may be repeated: it is idempotent, or its handler recognizes the repeated call. */
export const isRepeatable = (operation: Operation): boolean =>
  isIdempotent(operation) || (operation.handler.type !== 'http' && operation.handler.type !== 'mcp')

type PlacedCall = Pick<Performance, 'bundle' | 'signal'> & { operation: Operation }

/** How long a run keeps its slot while it waits for a worker. */
const shortMs = 60_000

/** Whether it runs an Agent or may wait long for a worker: callers that can should release their slot while waiting. */
export const takesLong = ({ handler, timeoutMs = 0 }: Operation): boolean =>
  handler.type === 'agent' || (handler.type === 'worker' && timeoutMs > shortMs)

/** What waits for it waits for this. */
export const workOf = (operation: Operation | undefined): ServerWork => {
  const type = operation?.handler.type
  if (type === 'agent') return 'agentRun'
  return type === 'worker' ? 'worker' : 'operation'
}

export class Operations {
  readonly #carriers: Carriers
  readonly #agents: AgentCalls
  readonly #workers: WorkerCalls

  constructor({ http, mcp, workers, agents, entities }: OperationParts) {
    this.#agents = agents
    this.#workers = workers
    const places = new CallPlaces()
    const placed = <Output>({ bundle, operation, signal }: PlacedCall, make: () => Promise<Output>) => {
      const waitMs = operation.timeoutMs ?? timeoutMsDefault
      return places.make(bundle.bundle.organizationId, { waitMs, signal }, make)
    }
    this.#carriers = {
      echo: ({ input }) => input,
      http: ({ agent: { agentId }, ...call }) => placed(call, () => http.make({ ...call, agentId })),
      mcp: ({ agent: { agentId }, ...call }) => placed(call, () => mcp.make({ ...call, agentId })),
      worker: (call) => workers.make(call),
      agent: (call) => agents.make(call),
      entity: ({ handler: { entity, action }, bundle, input, callKey, by, name }) => {
        if (!entities) throw toolError(`${name} changes an entity, which this server does not support.`)
        return entities.perform({ bundle, entity, action, input, callKey, by })
      },
    }
  }

  /** The operation, if the Agent may call it with this input. Throws `OperationFailure`. */
  async admit({ bundle, agent, name, input }: OperationRequest): Promise<Operation> {
    const operation = bundle.operation(name)
    if (!operation) throw toolError(`There is no operation ${name} in the Deployment.`)
    if (!agent.grantedOperations.includes(name)) throw toolError(`The Agent is not granted ${name}.`)
    await assertFits({
      schema: operation.inputSchema,
      value: input,
      organizationId: bundle.bundle.organizationId,
      message: `The input of ${name} is not valid`,
    })
    return operation
  }

  /**
   * The statements that a new call stores along with its invocation `callKey`, so that both exist at once; undefined
   * for most.
   */
  prepare({ operation, input, ...call }: NewCall): Promise<PreparedCall> | undefined {
    const { handler } = operation
    if (handler.type !== 'worker') return undefined
    return this.#workers.prepare({ ...call, operation, handler, input, characters: call.inputText.length })
  }

  /** The output of an admitted call. Throws `OperationFailure`, or the signal's reason. */
  async perform(performance: Performance): Promise<unknown> {
    const { name, bundle } = performance
    const operation = bundle.operation(name)
    if (!operation) throw toolError(`There is no operation ${name} in the Deployment.`)
    const { handler } = operation
    const carry = this.#carriers[handler.type] as Carry<Handler['type']>
    return (await carry({ ...performance, operation, handler })) ?? null
  }

  /** Throws `OperationFailure` if the value does not match the operation's output schema. */
  async assertOutput({ bundle, name }: Pick<OperationRequest, 'bundle' | 'name'>, output: unknown): Promise<void> {
    const schema = bundle.operation(name)?.outputSchema
    if (!schema) return
    await assertFits({
      schema,
      value: output,
      organizationId: bundle.bundle.organizationId,
      message: `The answer of ${name} is not valid`,
      isAnswered: true,
    })
  }

  /**
   * Cancels the work that a call has started elsewhere. Returns the fate of a worker's call; undefined for others.
   * Throws if that cannot be stored.
   */
  async cancel(callKey: string): Promise<CanceledFate | undefined> {
    const [fate] = await Promise.all([this.#workers.cancel(callKey), this.#agents.cancel(callKey)])
    return fate
  }
}
