/** Scope of a key: the organization, a Project, an Environment, an Agent. */
import { useAgentChoices, useProjectChoices } from '../../../data/choices.ts'
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import { SelectField } from '../../../ui/forms/form.tsx'
import { Options } from '../../../ui/forms/options.tsx'

export interface Binding {
  projectId: string
  environmentId: string
  agentId: string
}

export const unbound: Binding = { projectId: '', environmentId: '', agentId: '' }

interface KeyBindingProps {
  binding: Binding
  onChange: (binding: Binding) => void
}

export function KeyBinding({ binding, onChange }: KeyBindingProps) {
  const api = useApi()
  const { projectId, environmentId, agentId } = binding
  const projects = useProjectChoices()
  const environments = useResource(projectId ? ['environments', projectId, 'all'] : null, (options) =>
    api.v1.projects({ projectId }).environments.get({ ...options, query: { limit: 100 } }),
  )
  const agents = useAgentChoices(projectId)
  return (
    <div className="fields-beside">
      <SelectField
        name="projectId"
        label="Bound to Project"
        value={projectId}
        onChange={({ target }) => onChange({ ...unbound, projectId: target.value })}
      >
        <option value="">None (organization)</option>
        <Options of={projects.value} />
      </SelectField>
      {projectId && (
        <>
          <SelectField
            name="environmentId"
            label="Environment"
            value={environmentId}
            onChange={({ target }) => onChange({ ...binding, environmentId: target.value })}
          >
            <option value="">All</option>
            <Options of={environments.value?.items} />
          </SelectField>
          <SelectField
            name="agentId"
            label="Agent"
            value={agentId}
            onChange={({ target }) => onChange({ ...binding, agentId: target.value })}
          >
            <option value="">All</option>
            <Options of={agents.value} />
          </SelectField>
        </>
      )}
    </div>
  )
}
