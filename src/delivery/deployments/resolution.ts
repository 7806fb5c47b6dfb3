/**
 * The rule that resolves an Agent's key to a Connection or a variable, both when a Deployment is validated and at run time.
 * Pure. Source: contract 3, "One rule of resolution".
 */

/** A configured item: bound to one Agent under a key, or, with null, available to all by its name. */
export interface Bindable {
  name: string
  agentId: string | null
  bindingKey: string | null
}

/**
 * The item bound to the Agent under this key, else the item with the key as its name, where the Agent's own precedes those for
 * all. Items bound to other Agents never match.
 */
export const resolved = <Item extends Bindable>(
  items: readonly Item[],
  agentId: string,
  bindingKey: string,
): Item | undefined =>
  items.find((item) => item.agentId === agentId && item.bindingKey === bindingKey) ??
  items.find((item) => item.agentId === agentId && item.name === bindingKey) ??
  items.find((item) => item.agentId === null && item.name === bindingKey)
