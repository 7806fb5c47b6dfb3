/**
 * Operations of a Deployment, carried out: whether the Agent is granted it, what it takes, by which handler, and what it
 * gives. Source: contract 3, "operations source"; contract 4, "HTTP operations"; contract 6, "Precise points".
 */
import type { Handler } from '../definitions/source.ts'
import type { BundledAgent } from '../deployments/bundle.ts'
import type { DeployedBundle } from '../deployments/bundles.ts'
import { checkOf } from '../runner/schemas.ts'
import { toolError } from './failure.ts'
import type { HttpCall, HttpCalls } from './http-calls.ts'

export interface OperationRequest {
  bundle: DeployedBundle
  /** On whose behalf: the grants, bindings and variables are this Agent's. */
  agent: BundledAgent
  /** `<definition>.<operation>` */
  name: string
  input: unknown
  /** Names the call to the outside: the same when it is made again. */
  callKey: string
  signal: AbortSignal
}

type Carry = (call: HttpCall) => unknown

export class Operations {
  readonly #handlers: Record<Handler['type'], Carry>

  constructor(http: HttpCalls) {
    this.#handlers = {
      echo: ({ input }) => input,
      http: (call) => http.make(call),
      agent: unsupported('runs an Agent'),
      entity: unsupported('changes an entity'),
    }
  }

  /** What the operation gives. Throws `OperationFailure`, or the signal's reason. */
  async perform({ bundle, agent, name, input, callKey, signal }: OperationRequest): Promise<unknown> {
    const operation = bundle.operation(name)
    if (!operation) throw toolError(`There is no operation ${name} in the Deployment.`)
    if (!agent.grantedOperations.includes(name)) throw toolError(`The Agent is not granted ${name}.`)
    await assertFits(operation.inputSchema, input, `The input of ${name} is not valid`)
    if (operation.approval === 'always') {
      throw toolError(`${name} needs the approval of a person, which cannot be asked for here.`)
    }
    const { handler } = operation
    const { agentId } = agent
    const carry = this.#handlers[handler.type]
    const call = { bundle, agentId, name, operation, handler, input, callKey, signal }
    const output = (await carry(call as HttpCall)) ?? null
    if (operation.outputSchema) await assertFits(operation.outputSchema, output, `The answer of ${name} is not valid`)
    return output
  }
}

const unsupported =
  (what: string): Carry =>
  ({ name }) => {
    throw toolError(`${name} ${what}, which this server does not do yet.`)
  }

async function assertFits(schema: Record<string, unknown>, value: unknown, message: string): Promise<void> {
  const problem = (await checkOf(schema))(value)
  if (problem !== null) throw toolError(`${message}: ${problem}`)
}
