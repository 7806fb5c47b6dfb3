/** Where a run belongs: the Environment of a Project by their names, and the way there. */
import { Link } from 'wouter'
import type { PresentedRun } from '../../../runs/present.ts'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { at, type Place } from '../../places.ts'

interface WhereProps {
  place: Place
  run: Pick<PresentedRun, 'projectId' | 'environmentId'>
}

export function Where({ place: { organization }, run: { projectId, environmentId } }: WhereProps) {
  const api = useApi()
  const project = useResource(projectId ? ['projects', projectId] : null, (options) =>
    api.v1.projects({ projectId: projectId as string }).get(options),
  )
  const environments = useResource(projectId ? ['environments', projectId] : null, (options) =>
    api.v1.projects({ projectId: projectId as string }).environments.get({ ...options, query: { limit: 20 } }),
  )
  if (!projectId) return <span>of the platform</span>
  const environment = environments.value?.items.find(({ id }) => id === environmentId)
  return (
    <span>
      of{' '}
      <Link href={at({ organization, projectId, ...(environmentId && { environmentId }) })}>
        {[project.value?.name ?? 'its Project', environment?.name].filter(Boolean).join(' · ')}
      </Link>
    </span>
  )
}
