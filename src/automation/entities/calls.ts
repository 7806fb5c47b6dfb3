/** What operations do to entities. Source: contract 3, `Handler` of type `entity`; contract 6, "Entity inputs". */
import type { DeployedBundle } from '../../delivery/deployments/bundles.ts'
import type { By } from '../../runtime/kind.ts'

export interface EntityCall {
  bundle: DeployedBundle
  /** The name of the entity's Definition. */
  entity: string
  action: 'create' | 'update' | 'transition' | 'delete'
  input: unknown
  /** The same when the call is made again: it takes effect once, and is answered alike. */
  callKey: string
  by: By
}

export interface EntityCalls {
  /**
   * The Entity as it is after the call. Throws `OperationFailure`: `tool_error` for what does not fit or is not there, with
   * `conflict` where the entity's statechart or an `expectedVersion` refuses.
   */
  perform(call: EntityCall): Promise<unknown>
}
