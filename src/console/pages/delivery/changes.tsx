/** What would change about what serves: looked at before one decides. */
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { Tag } from '../../ui/badge.tsx'
import { Shown } from '../../ui/states.tsx'
import { type Changed, deploymentChanges, releaseChanges } from './difference-words.ts'
import type { Environment } from './environments.ts'

/** What the Deployment has other than the one that serves. */
export function ChangesByDeployment({ environment, deploymentId }: { environment: Environment; deploymentId: string }) {
  const api = useApi()
  const { projectId, id: environmentId, activeDeploymentId: against } = environment
  const isOther = against !== null && against !== deploymentId
  const diff = useResource(isOther ? ['deployment-diff', deploymentId, against] : null, (options) =>
    api.v1
      .projects({ projectId })
      .environments({ environmentId })
      .deployments({ deploymentId })
      .diff.get({ ...options, query: { against: against ?? '' } }),
  )
  if (!isOther) return null
  return (
    <Shown resource={diff}>
      {(diff) => (
        <Changes changes={deploymentChanges(diff)} truncated={diff.truncated} same="The same as serves now." />
      )}
    </Shown>
  )
}

interface ReleaseProps {
  projectId: string
  releaseId: string
  /** The id of the Release that was before. */
  against: string
}

/** What the contents of a Release have other than those of the one before. */
export function ChangesByRelease({ projectId, releaseId, against }: ReleaseProps) {
  const api = useApi()
  const diff = useResource(['release-diff', releaseId, against], (options) =>
    api.v1
      .projects({ projectId })
      .releases({ releaseId })
      .diff.get({ ...options, query: { against } }),
  )
  return (
    <details>
      <summary>What differs</summary>
      <Shown resource={diff}>
        {(diff) => <Changes changes={releaseChanges(diff)} truncated={diff.truncated} same="The same contents." />}
      </Shown>
    </details>
  )
}

const words = { added: 'comes', removed: 'goes', changed: 'changes' }

/** `same`: what is said where nothing differs. */
function Changes({ changes, truncated, same }: { changes: Changed[]; truncated: boolean; same: string }) {
  if (changes.length === 0) return <p className="faint">{same}</p>
  return (
    <div className="stack">
      <ul aria-label="What differs">
        {changes.map(({ title, change, versions, lines }) => (
          <li key={title}>
            {title} <Tag>{words[change]}</Tag> {versions}
            {lines.length > 0 && (
              <ul>
                {lines.map((line) => (
                  <li key={line}>
                    <code>{line}</code>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
      {truncated && <p className="faint">There is more that differs.</p>}
    </div>
  )
}
