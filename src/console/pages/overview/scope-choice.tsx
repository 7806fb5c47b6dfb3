/** Scope of the overview: organization, Project or Environment. */
import { useId } from 'react'
import { useProjectChoices } from '../../data/choices.ts'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { Options } from '../../ui/forms/options.tsx'
import type { Scope } from './figures.ts'

export function ScopeChoice({ scope, onChange }: { scope: Scope; onChange: (scope: Scope) => void }) {
  const api = useApi()
  const id = useId()
  const { projectId, environmentId } = scope
  const projects = useProjectChoices()
  const environments = useResource(projectId ? ['projects', projectId, 'environments'] : null, (options) =>
    api.v1.projects({ projectId: projectId as string }).environments.get({ ...options, query: { limit: 100 } }),
  )
  if (!projectId && (projects.failure || projects.value?.length === 0)) return null
  return (
    <div className="overview-scope">
      <label htmlFor={`${id}-project`} className="visually-hidden">
        Scope
      </label>
      <select
        id={`${id}-project`}
        value={projectId ?? ''}
        onChange={({ target }) => onChange(target.value ? { projectId: target.value } : {})}
      >
        <option value="">Whole organization</option>
        <Options of={projects.value} />
      </select>
      {projectId && (
        <>
          <label htmlFor={`${id}-environment`} className="visually-hidden">
            Environment
          </label>
          <select
            id={`${id}-environment`}
            value={environmentId ?? ''}
            onChange={({ target }) =>
              onChange(target.value ? { projectId, environmentId: target.value } : { projectId })
            }
          >
            <option value="">All Environments</option>
            <Options of={environments.value?.items} />
          </select>
        </>
      )}
    </div>
  )
}
