/** Changes against the active Deployment or the previous Release. */
import type { ReactElement } from 'react'
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { Shown } from '../../../ui/states.tsx'
import './changes.css'
import { type Environment, useEnvironmentApi } from '../environments.ts'
import { type Changed, deploymentChanges, type Line, releaseChanges } from './difference-words.ts'

/** Diff of a Deployment against the active one. */
export function ChangesByDeployment({ environment, deploymentId }: { environment: Environment; deploymentId: string }) {
  const api = useEnvironmentApi(environment)
  const { activeDeploymentId: against } = environment
  const isOther = against !== null && against !== deploymentId
  const diff = useResource(isOther ? ['deployment-diff', deploymentId, against] : null, (options) =>
    api.deployments({ deploymentId }).diff.get({ ...options, query: { against: against ?? '' } }),
  )
  if (!isOther) return null
  return (
    <Shown resource={diff}>
      {(diff) => (
        <Changes
          changes={deploymentChanges(diff)}
          truncated={diff.truncated}
          same="No changes from the active Deployment."
        />
      )}
    </Shown>
  )
}

interface ReleaseProps {
  projectId: string
  releaseId: string
  /** Id of the previous Release. */
  against: string
}

/** Diff of a Release's contents against the previous one. */
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
      <summary>Changes</summary>
      <Shown resource={diff}>
        {(diff) => <Changes changes={releaseChanges(diff)} truncated={diff.truncated} same="No changes." />}
      </Shown>
    </details>
  )
}

const words = { added: 'added', removed: 'removed', changed: 'changed' }
const tones = { added: 'good', removed: 'bad', changed: 'waiting' } as const

/** `same`: text shown if nothing differs. */
function Changes({ changes, truncated, same }: { changes: Changed[]; truncated: boolean; same: string }) {
  if (changes.length === 0) return <p className="faint">{same}</p>
  return (
    <div className="stack">
      <ul className="surface changes" aria-label="Changes">
        {changes.map(({ title, change, versions, lines }) => (
          <li key={title} className="change">
            <p className="row">
              <strong>{title}</strong>
              <StateBadge state={words[change]} tone={tones[change]} />
              {versions && <span className="faint">{versions}</span>}
            </p>
            {lines.length > 0 && (
              <ul className="change-lines">
                {lines.map((line) => (
                  <ChangeLine key={`${line.what} ${line.before} ${line.after}`} line={line} />
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
      {truncated && <p className="faint">The list is truncated; there are more changes.</p>}
    </div>
  )
}

/** One changed value: what it was and what it is. */
export const ChangeLine = ({ line: { what, before, after } }: { line: Line }) => (
  <li>
    <code className="change-what">{what}</code>
    {before !== undefined && (
      <Folded text={before}>
        <del>
          <span className="visually-hidden">before: </span>
          {before}
        </del>
      </Folded>
    )}
    {after !== undefined && (
      <Folded text={after}>
        <ins>
          <span className="visually-hidden">after: </span>
          {after}
        </ins>
      </Folded>
    )}
  </li>
)

/** Changes shown before "show all". */
const linesMax = 6

/** Collapses long values. */
function Folded({ text, children }: { text: string; children: ReactElement }) {
  const lines = text.split('\n').length
  if (lines <= linesMax) return children
  const is = children.type === 'del' ? 'removed' : 'added'
  return (
    <details>
      <summary>
        {lines} lines {is}
      </summary>
      {children}
    </details>
  )
}
