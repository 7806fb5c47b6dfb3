/** Everything that needs attention, in all Environments: by kind, each item with its actions. */
import { Link } from 'wouter'
import { inboxKinds } from '../../../automation/inbox/kinds.ts'
import type { InboxItem } from '../../../automation/inbox/schema.ts'
import { oneOfThese, useAddressQuery } from '../../address-query.ts'
import { useApi } from '../../data/context.ts'
import { type Pages, usePages } from '../../data/pages.ts'
import { useResource } from '../../data/resource.ts'
import { at, organizationOf } from '../../places.ts'
import { inboxKey } from '../../shell/inbox-count.tsx'
import { Button } from '../../ui/forms/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Empty, Failed, Loading, Stale } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { usePlace } from '../../use-place.ts'
import { ItemActions } from './actions.tsx'
import './inbox.css'
import { addressOf, kindWords } from './words.ts'

const refreshMs = 10_000

export default function InboxPage() {
  const api = useApi()
  const { values, change } = useAddressQuery('kind')
  const kind = oneOfThese(inboxKinds, values.kind)
  const counted = useResource([...inboxKey, 'count'], (options) =>
    api.v1.inbox.get({ ...options, query: { limit: 1 } }),
  )
  const pages = usePages(
    [...inboxKey, 'list', kind],
    (options, page) => api.v1.inbox.get({ ...options, query: { ...page, ...(kind && { kind }) } }),
    { limit: 25, every: refreshMs },
  )
  const counts = (counted.value?.counts ?? []).filter(({ count, kind: each }) => count > 0 || each === kind)
  return (
    <Page title="Inbox" about="Everything that needs attention, in all Environments that you can read.">
      {counted.loading && <Loading rows={1} />}
      {counts.length > 0 && (
        <Segments
          label="Kind"
          value={kind ?? ''}
          options={[
            { value: '', title: `All ${counted.value?.total ?? 0}` },
            ...counts.map(({ kind, count }) => ({ value: kind, title: `${kindWords[kind].many} ${count}` })),
          ]}
          onChoose={(kind) => change({ kind })}
        />
      )}
      <Items pages={pages} isNarrowed={kind !== undefined} onAll={() => change({ kind: '' })} />
    </Page>
  )
}

interface ItemsProps {
  pages: Pages<InboxItem>
  isNarrowed: boolean
  onAll: () => void
}

function Items({ pages, isNarrowed, onAll }: ItemsProps) {
  const { items, failure, refresh, page } = pages
  if (failure && (items === undefined || failure.status === 403)) return <Failed failure={failure} retry={refresh} />
  if (items === undefined) return <Loading label="Loading the inbox" />
  if (items.length === 0 && page === 1) {
    return isNarrowed ? (
      <Empty icon="check" title="Nothing of this kind" action={<Button onClick={onAll}>Show all</Button>} />
    ) : (
      <Empty icon="check" title="Nothing needs you">
        Approvals, waiting runs, failing webhooks, failed Deployments and what is about to expire appear here.
      </Empty>
    )
  }
  return (
    <>
      {failure && <Stale refresh={refresh} />}
      <ul className="inbox" aria-label="Items">
        {items.map((item) => (
          <li key={item.kind + item.id} className="inbox-item" data-kind={item.kind}>
            <Item item={item} />
          </li>
        ))}
      </ul>
      <Pager label="items" pages={pages} />
    </>
  )
}

function Item({ item }: { item: InboxItem }) {
  const place = usePlace()
  const { kind, title, message, since, dueAt, project, environment } = item
  const { one, icon } = kindWords[kind]
  const here = project &&
    environment && { ...organizationOf(place), projectId: project.id, environmentId: environment.id }
  return (
    <>
      <span className="inbox-icon">
        <Icon name={icon} size={18} />
      </span>
      <div className="inbox-text">
        <p className="inbox-title">
          <Link href={addressOf(place, item)}>{title}</Link>
          <span className="faint">{one}</span>
        </p>
        <p>{message}</p>
        <p className="faint inbox-where">
          {here && (
            <Link href={at(here)}>
              {project.name} / {environment.name}
            </Link>
          )}
          <span>
            since <Time at={since} />
          </span>
          {dueAt && (
            <span>
              due <Time at={dueAt} />
            </span>
          )}
        </p>
      </div>
      <ItemActions item={item} />
    </>
  )
}
