/** Calls of entity operations. Source: contract 3, `Handler` of type `entity`; contract 6, "Entity inputs". */
import type { DeployedBundle } from '../../delivery/deployments/bundles.ts'
import type { By } from '../../runtime/kind.ts'

export interface EntityCall {
  bundle: DeployedBundle
  /** The name of the entity's Definition. */
  entity: string
  action: 'create' | 'update' | 'transition' | 'delete'
  input: unknown
  /** Identifies the call: a repeated call has no further effect and gets the same answer. */
  callKey: string
  by: By
}

export interface EntityCalls {
  /**
   * Returns the Entity after the call. Throws `OperationFailure`: `tool_error` for invalid input or a missing entity, with
   * `conflict` if the entity's statechart or an `expectedVersion` refuses.
   */
  perform(call: EntityCall): Promise<unknown>
}
