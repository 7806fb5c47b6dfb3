/** Environments of a Project side by side: active Releases, and promotions. */
import { Link } from 'wouter'
import { useResource } from '../../data/resource.ts'
import { at, type Place, projectOf } from '../../places.ts'
import { Author } from '../../ui/author.tsx'
import { StateBadge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/forms/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'
import { PromoteTo, RollBack } from '../applies/moving.tsx'
import { Behind } from './changes/behind.tsx'
import './delivery.css'
import { type Environment, kindNames, type ServedByEnvironment, useEnvironmentApi } from './environments.ts'
import type { Served } from './pinned.ts'

interface BoardProps {
  place: Place
  environments: Environment[]
  served: ServedByEnvironment
  /** The current Environment. */
  current?: string
}

export const EnvironmentBoard = ({ place, environments, served, current }: BoardProps) => (
  <ol className="board" aria-label="Environments">
    {environments.map((environment, index) => {
      // the nearest previous Environment with an active Deployment
      const before = environments.slice(0, index).findLast(({ id }) => served.get(id))
      return (
        <li key={environment.id} className="board-item">
          {index > 0 && (
            <span className="board-arrow" aria-hidden="true">
              <Icon name="chevron" />
            </span>
          )}
          <Card
            place={{ ...place, environmentId: environment.id }}
            environment={environment}
            served={served.get(environment.id) ?? null}
            before={before}
            servedBefore={before ? (served.get(before.id) ?? null) : null}
            isCurrent={environment.id === current}
          />
        </li>
      )
    })}
  </ol>
)

interface CardProps {
  place: Place
  environment: Environment
  served: Served | null
  /** The nearest previous Environment with an active Deployment. */
  before: Environment | undefined
  servedBefore: Served | null
  isCurrent: boolean
}

function Card({ place, environment, served, before, servedBefore, isCurrent }: CardProps) {
  const { kind, lifecycle, generation, configurationHead } = environment
  const offered =
    servedBefore && servedBefore.release.number > (served?.release.number ?? 0) ? servedBefore.release : null
  const isBehind = served !== null && served.configuration.number < configurationHead.number
  return (
    <article className="surface board-card" aria-current={isCurrent ? 'page' : undefined} aria-label={kindNames[kind]}>
      <header className="board-head">
        <h3>
          <Link href={at(place)}>{kindNames[kind]}</Link>
        </h3>
        <StateBadge state={lifecycle} />
      </header>
      {served ? (
        <>
          <p className="board-release">
            <Link href={at(projectOf(place), 'releases', served.release.id)}>Release {served.release.number}</Link>
          </p>
          <p className="clamp board-about">{served.release.description ?? 'No description'}</p>
          <dl className="board-facts">
            <div>
              <dt>Configuration</dt>
              <dd>
                {served.configuration.number}
                {isBehind && <span className="faint"> of {configurationHead.number}</span>}
              </dd>
            </div>
            <div>
              <dt>Generation</dt>
              <dd>{generation}</dd>
            </div>
            <Since environment={environment} />
          </dl>
          {before && servedBefore && (
            <Behind place={place} name={kindNames[before.kind]} served={served} before={servedBefore} />
          )}
        </>
      ) : (
        <p className="board-empty">No active Deployment.</p>
      )}
      <footer className="board-foot">
        {offered && before && lifecycle === 'active' && (
          <PromoteTo place={place} from={before} to={environment} release={offered.number} />
        )}
        {served && !isCurrent && <RollBack place={place} environment={environment} small />}
        {!isCurrent && (
          <LinkButton small href={at(place)}>
            {served || lifecycle === 'active' ? 'Open' : 'Set up'}
          </LinkButton>
        )}
      </footer>
    </article>
  )
}

/** Start and author of the current generation. */
function Since({ environment: { projectId, id: environmentId, generation } }: { environment: Environment }) {
  const api = useEnvironmentApi({ projectId, id: environmentId })
  const { value, loading } = useResource(['activations', environmentId, 'latest', generation], (options) =>
    api.activations.get({ ...options, query: { limit: 1 } }),
  )
  const latest = value?.items[0]
  const none = loading ? '…' : '–'
  return (
    <>
      <div>
        <dt>Active since</dt>
        <dd>{latest ? <Time at={latest.createdAt} /> : none}</dd>
      </div>
      <div>
        <dt>By</dt>
        <dd>{latest ? <Author by={latest.createdBy} /> : none}</dd>
      </div>
    </>
  )
}
