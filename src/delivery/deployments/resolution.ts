/**
 * The one rule by which an Agent's key leads to a Connection or a variable, for the validation of a Deployment and for its
 * runs alike. Pure. Source: contract 3, "One rule of resolution".
 */

/** What an Environment is configured with: bound to one Agent under a key, or (null) there for all by its name. */
export interface Bindable {
  name: string
  agentId: string | null
  bindingKey: string | null
}

/**
 * What is bound to the Agent under this key, else what has the key for its name: the Agent's own before what is there for
 * all. What is bound to another Agent is never found.
 */
export const resolved = <Item extends Bindable>(
  items: readonly Item[],
  agentId: string,
  bindingKey: string,
): Item | undefined =>
  items.find((item) => item.agentId === agentId && item.bindingKey === bindingKey) ??
  items.find((item) => item.agentId === agentId && item.name === bindingKey) ??
  items.find((item) => item.agentId === null && item.name === bindingKey)
