/** Scope of a key: the organization, a Project, an Environment, an Agent. */
import { useApi } from '../../../data/context.ts'
import { useReading, useResource } from '../../../data/resource.ts'
import { wholeList } from '../../../data/whole-list.ts'
import { SelectField } from '../../../ui/forms/form.tsx'

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
  const projects = useReading(['projects', 'all'], (options) =>
    wholeList((query) => api.v1.projects.get({ ...options, query })),
  )
  const environments = useResource(projectId ? ['environments', projectId, 'all'] : null, (options) =>
    api.v1.projects({ projectId }).environments.get({ ...options, query: { limit: 100 } }),
  )
  const agents = useReading(projectId ? ['agents', projectId, 'all'] : null, (options) =>
    wholeList((query) => api.v1.projects({ projectId }).agents.get({ ...options, query })),
  )
  return (
    <div className="fields-beside">
      <SelectField
        name="projectId"
        label="Bound to Project"
        value={projectId}
        onChange={({ target }) => onChange({ ...unbound, projectId: target.value })}
      >
        <option value="">None (organization)</option>
        {projects.value?.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
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
            {environments.value?.items.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
          <SelectField
            name="agentId"
            label="Agent"
            value={agentId}
            onChange={({ target }) => onChange({ ...binding, agentId: target.value })}
          >
            <option value="">All</option>
            {agents.value?.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        </>
      )}
    </div>
  )
}
