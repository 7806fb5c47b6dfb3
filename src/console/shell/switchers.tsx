/** Switchers of organization, Project and Environment. */
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useProjectChoices } from '../data/choices.ts'
import { useApi } from '../data/context.ts'
import { useResource } from '../data/resource.ts'
import { at, organizationOf, type Place, projectOf } from '../places.ts'
import { useSession } from '../session/session.ts'

interface Option {
  value: string
  title: string
}

interface SwitcherProps {
  label: string
  value: string
  options: Option[]
  onChoose: (value: string) => void
  children?: ReactNode
}

const Switcher = ({ label, value, options, onChoose, children }: SwitcherProps) => (
  <select
    className="switcher"
    aria-label={label}
    title={label}
    value={value}
    onChange={({ target }) => onChoose(target.value)}
  >
    {children}
    {options.map(({ value, title }) => (
      <option key={value} value={value}>
        {title}
      </option>
    ))}
  </select>
)

const kinds = { development: 'Development', preview: 'Preview', production: 'Production' }

export function Switchers({ place }: { place: Place }) {
  const [path, navigate] = useLocation()
  const { session } = useSession()
  const { projectId, environmentId } = place

  const organizations = session.organizations.map(({ slug, name }) => ({ value: slug, title: name }))
  return (
    <div className="switchers">
      <Switcher
        label="Organization"
        value={place.organization}
        options={organizations}
        onChoose={(organization) => navigate(at({ organization }))}
      />
      <ProjectSwitcher place={place} />
      {projectId && (
        <EnvironmentSwitcher
          place={{ ...place, projectId }}
          // keep the page, unless it shows one item of this Environment
          onChoose={(chosen) => {
            const [section] = environmentId ? path.slice(at(place).length + 1).split('/') : []
            navigate(at({ ...place, environmentId: chosen }, ...(section ? [section] : [])))
          }}
        />
      )}
    </div>
  )
}

function ProjectSwitcher({ place }: { place: Place }) {
  const [, navigate] = useLocation()
  const projects = (useProjectChoices().value ?? []).map(({ id, name }) => ({ value: id, title: name }))
  const known = projects.some(({ value }) => value === place.projectId)
  return (
    <Switcher
      label="Project"
      value={place.projectId ?? ''}
      options={projects}
      onChoose={(projectId) =>
        navigate(projectId === '' ? at(organizationOf(place), 'projects') : at({ ...organizationOf(place), projectId }))
      }
    >
      <option value="">All projects</option>
      {place.projectId && !known && <option value={place.projectId}>This project</option>}
    </Switcher>
  )
}

interface EnvironmentSwitcherProps {
  place: Place & { projectId: string }
  onChoose: (environmentId: string) => void
}

function EnvironmentSwitcher({ place, onChoose }: EnvironmentSwitcherProps) {
  const api = useApi()
  const [, navigate] = useLocation()
  const { projectId, environmentId } = place
  const { value } = useResource(['environments', projectId], (options) =>
    api.v1.projects({ projectId }).environments.get({ ...options, query: { limit: 20 } }),
  )
  const environments = (value?.items ?? []).map(({ id, kind }) => ({ value: id, title: kinds[kind] }))
  return (
    <Switcher
      label="Environment"
      value={environmentId ?? ''}
      options={environments}
      onChoose={(chosen) => (chosen === '' ? navigate(at(projectOf(place))) : onChoose(chosen))}
    >
      <option value="">All environments</option>
    </Switcher>
  )
}
