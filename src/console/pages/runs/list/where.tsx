/** Link to the Environment of a run, by name. */
import { Link } from 'wouter'
import type { PresentedRun } from '../../../../runs/present.ts'
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import { at, type Place } from '../../../places.ts'

/** Project and Environment names, as far as permitted. */
export function usePlaceName(projectId: string | null, environmentId: string | null): string {
  const api = useApi()
  const project = useResource(projectId ? ['projects', projectId] : null, (options) =>
    api.v1.projects({ projectId: projectId as string }).get(options),
  )
  const environments = useResource(projectId ? ['environments', projectId] : null, (options) =>
    api.v1.projects({ projectId: projectId as string }).environments.get({ ...options, query: { limit: 20 } }),
  )
  const environment = environments.value?.items.find(({ id }) => id === environmentId)
  return [project.value?.name ?? 'a Project', environment?.name].filter(Boolean).join(' · ')
}

interface WhereProps {
  place: Place
  run: Pick<PresentedRun, 'projectId' | 'environmentId'>
}

export function Where({ place: { organization }, run: { projectId, environmentId } }: WhereProps) {
  const name = usePlaceName(projectId, environmentId)
  if (!projectId) return <span>platform</span>
  return (
    <span className="where">
      of <Link href={at({ organization, projectId, ...(environmentId && { environmentId }) })}>{name}</Link>
    </span>
  )
}
