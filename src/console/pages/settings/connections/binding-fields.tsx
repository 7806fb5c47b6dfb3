/** Fields that bind a resource to an Agent and a binding key. */
import { useState } from 'react'
import { nameOrId } from '../../../data/name-or-id.ts'
import { SelectField, TextField } from '../../../ui/forms/form.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { useAgents } from '../environment-lists.ts'
import '../settings.css'

export interface Bound {
  agentId: string | null
  bindingKey: string | null
}

/** Values of the fields. */
export const boundIn = (text: (name: string) => string): Bound => {
  const agentId = text('agentId') || null
  return { agentId, bindingKey: agentId === null ? null : text('bindingKey') }
}

interface BindingFieldsProps {
  bound?: Bound
  /** Label of the empty option. */
  none: string
}

export function BindingFields({ bound, none }: BindingFieldsProps) {
  const agents = useAgents()
  const [agentId, setAgentId] = useState(bound?.agentId ?? '')
  const known = agents.value?.some(({ id }) => id === agentId)
  return (
    <div className="fields-beside">
      <SelectField name="agentId" label="Agent" value={agentId} onChange={({ target }) => setAgentId(target.value)}>
        <option value="">{none}</option>
        {agentId !== '' && !known && <option value={agentId}>{agentId}</option>}
        <Options of={agents.value} />
      </SelectField>
      {agentId !== '' && (
        <TextField
          name="bindingKey"
          label="Binding key"
          required
          pattern="[a-zA-Z0-9_.\-]{1,64}"
          title="Letters, digits, dots, hyphens and underscores"
          placeholder="shop"
          defaultValue={bound?.bindingKey ?? ''}
        />
      )}
    </div>
  )
}

/** The binding in a table, with the Agent's name if known. */
export function BindingText({ bound: { agentId, bindingKey }, none }: { bound: Bound; none: string }) {
  const agents = useAgents()
  if (agentId === null) return <span className="faint">{none}</span>
  const name = nameOrId(agents, agents.value?.find(({ id }) => id === agentId)?.name, agentId)
  return (
    <span className="value-wrap">
      {name} as <code>{bindingKey}</code>
    </span>
  )
}
