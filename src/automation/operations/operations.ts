/**
 * Operations of a Deployment, carried out: whether the Agent is granted it, what it takes, by which handler, and what it
 * gives. When one is carried out is for its invocation to say. Source: contract 3, "operations source"; contract 4, "HTTP
 * operations"; contract 6, "Precise points".
 */
import type { Handler, Operation } from '../../authoring/definitions/source.ts'
import type { BundledAgent } from '../../delivery/deployments/bundle.ts'
import type { DeployedBundle } from '../../delivery/deployments/bundles.ts'
import type { By } from '../../runtime/kind.ts'
import type { EntityCalls } from '../entities/calls.ts'
import type { AgentCalls } from './agent-calls.ts'
import { toolError } from './failure.ts'
import { assertFits } from './fitting.ts'
import type { HttpCalls } from './http-calls.ts'

export interface OperationRequest {
  bundle: DeployedBundle
  /** On whose behalf: the grants, bindings and variables are this Agent's. */
  agent: BundledAgent
  /** `<definition>.<operation>` */
  name: string
  input: unknown
}

export interface Performance extends OperationRequest {
  /** Names the call to the outside: the same when it is made again. */
  callKey: string
  by: By
  signal: AbortSignal
}

type Carry<Type extends Handler['type']> = (
  call: Performance & { operation: Operation; handler: Extract<Handler, { type: Type }> },
) => unknown
type Carriers = { [Type in Handler['type']]: Carry<Type> }

export interface OperationParts {
  http: HttpCalls
  agents: AgentCalls
  /** Left out: nothing here keeps entities. */
  entities?: EntityCalls | undefined
}

/**
 * Whether twice is as good as once: it only reads or says so itself, or its handler knows a call that is made again.
 */
export const isRepeatable = ({ effect, idempotent, handler }: Operation): boolean =>
  effect === 'read' || idempotent || handler.type !== 'http'

/** Whether it takes as long as the run of an Agent: whoever can wait without a machine does. */
export const runsAgent = ({ handler }: Operation): boolean => handler.type === 'agent'

export class Operations {
  readonly #carriers: Carriers
  readonly #agents: AgentCalls

  constructor({ http, agents, entities }: OperationParts) {
    this.#agents = agents
    this.#carriers = {
      echo: ({ input }) => input,
      http: ({ agent: { agentId }, ...call }) => http.make({ ...call, agentId }),
      agent: (call) => agents.make(call),
      entity: ({ handler: { entity, action }, bundle, input, callKey, by, name }) => {
        if (!entities) throw toolError(`${name} changes an entity, which this server does not keep.`)
        return entities.perform({ bundle, entity, action, input, callKey, by })
      },
    }
  }

  /** The operation, if the Agent may have it carried out with this input. Throws `OperationFailure`. */
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

  /** What the operation gives. Throws `OperationFailure`, or the signal's reason. */
  async perform(performance: Performance): Promise<unknown> {
    const { name, bundle } = performance
    const operation = await this.admit(performance)
    const { handler } = operation
    const carry = this.#carriers[handler.type] as Carry<Handler['type']>
    const output = (await carry({ ...performance, operation, handler })) ?? null
    if (operation.outputSchema) {
      await assertFits({
        schema: operation.outputSchema,
        value: output,
        organizationId: bundle.bundle.organizationId,
        message: `The answer of ${name} is not valid`,
      })
    }
    return output
  }

  /** Ends what a call has begun and what would go on without it. Throws when that cannot be stored. */
  cancel(callKey: string): Promise<void> {
    return this.#agents.cancel(callKey)
  }
}
