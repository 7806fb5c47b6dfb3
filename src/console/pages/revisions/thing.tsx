/** One Agent or Definition: latest revision, all revisions, comparison, new revision, settings. */
import { type ReactNode, useState } from 'react'
import type { Resource } from '../../data/resource.ts'
import { at, projectOf } from '../../places.ts'
import { StateBadge, Tag } from '../../ui/badge.tsx'
import { Button, NewButton } from '../../ui/forms/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Empty, Loading, Shown } from '../../ui/states.tsx'
import { CompareRevisions } from '../../ui/text/compare-revisions.tsx'
import { usePlace } from '../../use-place.ts'
import { useView } from '../../use-view.ts'
import { useHasDraft } from './drafts/use-draft.ts'
import { type Revised, type RevisedKind, type Revision, wordsOf } from './revised.ts'
import './revisions.css'

/** Number of newest revisions read for comparison. */
export const newestMax = 50

type View = 'latest' | 'revisions' | 'compare' | 'publish' | 'about'

const views: { value: View; title: string }[] = [
  { value: 'latest', title: 'Overview' },
  { value: 'revisions', title: 'Revisions' },
  { value: 'compare', title: 'Compare' },
  { value: 'publish', title: 'New revision' },
  { value: 'about', title: 'About' },
]

const viewNames = views.map(({ value }) => value)

interface RevisedThingProps<Each extends Revision> {
  kind: RevisedKind
  thing: Revised
  /** Shown beside the name. */
  mark: ReactNode
  /** Newest first, at most `newestMax`. */
  newest: Resource<{ items: Each[] }>
  /** Text shown before the first revision. */
  whenEmpty: string
  /** Contents of the latest revision. */
  latest: (revision: Each) => ReactNode
  /** Table of all revisions. */
  revisions: () => ReactNode
  /** Compared part of a revision. */
  contentsOf: (revision: Each) => unknown
  /** Drawing of the differences of two revisions. */
  picture?: ((before: { id: string }, after: { id: string }) => ReactNode) | undefined
  /** Editor of the next revision. */
  publish: (latest: Each | undefined, published: (revision: Pick<Revision, 'number'>) => void) => ReactNode
  /** Name, description and deletion. */
  about: () => ReactNode
}

export function RevisedThing<Each extends Revision>(props: RevisedThingProps<Each>) {
  const { kind, thing, mark, newest, whenEmpty } = props
  const { name, status, description, latestRevisionId } = thing
  const place = usePlace()
  const [view, setView] = useView('view', viewNames)
  const { many, icon, needs } = wordsOf[kind]
  const [latest] = newest.value?.items ?? []
  // the next draft starts from the revision just published, once it is loaded
  const [published, setPublished] = useState(0)
  const isCurrent = newest.value !== undefined && (latest?.number ?? 0) >= published
  const hasDraft = useHasDraft(thing.id)
  const begin = hasDraft ? (
    <Button tone="primary" onClick={() => setView('publish')}>
      Continue draft
    </Button>
  ) : (
    <NewButton needs={needs.publish} onClick={() => setView('publish')}>
      New revision
    </NewButton>
  )
  const content: Record<View, () => ReactNode> = {
    latest: () =>
      latestRevisionId === null ? (
        <Empty icon={icon} title="Not published yet" action={begin}>
          {whenEmpty}
        </Empty>
      ) : (
        <Shown resource={newest}>{({ items: [latest] }) => latest && props.latest(latest)}</Shown>
      ),
    revisions: props.revisions,
    compare: () => (
      <Shown resource={newest}>
        {({ items }) => (
          <CompareRevisions
            revisions={items.map((each) => ({ id: each.id, number: each.number, value: props.contentsOf(each) }))}
            picture={props.picture}
          />
        )}
      </Shown>
    ),
    publish: () => {
      if (!isCurrent) return <Loading />
      return props.publish(latest, ({ number }) => {
        setPublished(number)
        setView('latest')
      })
    },
    about: props.about,
  }
  return (
    <Page
      title={name}
      badge={
        <>
          {mark}
          {status !== 'active' && <StateBadge state={status} />}
          {latest && <Tag>{`revision ${latest.number}`}</Tag>}
        </>
      }
      about={description ?? undefined}
      up={{ title: many, href: at(projectOf(place), kind) }}
      actions={view !== 'publish' && status === 'active' && begin}
    >
      <div className="views">
        <Segments<View> label="View" value={view} onChoose={setView} options={views} />
      </div>
      {content[view]()}
    </Page>
  )
}
