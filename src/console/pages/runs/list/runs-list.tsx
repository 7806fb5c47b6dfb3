/** A list of runs: views, filters, and live rows. */
import { useCallback, useEffect } from 'react'
import type { PresentedRun } from '../../../../runs/present.ts'
import { at, runAt } from '../../../places.ts'
import { useSession } from '../../../session/session.ts'
import { Button, LinkButton } from '../../../ui/forms/button.tsx'
import { Empty, Failed, Loading, Stale } from '../../../ui/states.tsx'
import { StreamNote } from '../../../ui/stream-note.tsx'
import { usePlace } from '../../../use-place.ts'
import { RunFilters } from './filters/filters.tsx'
import { useRunQuery } from './filters/run-query.ts'
import { useRunRows } from './rows/use-run-rows.ts'
import { SelectedBar } from './selected/selected-bar.tsx'
import { useSelection } from './selected/use-selection.ts'
import { RunTable } from './table/run-table.tsx'
import { Views } from './views/views.tsx'
import '../runs.css'

interface RunsListProps {
  projectId?: string | undefined
  environmentId?: string | undefined
}

export function RunsList({ projectId, environmentId }: RunsListProps) {
  const place = usePlace()
  const { session } = useSession()
  const { query, within, change, clear, show, address, filtered } = useRunQuery({ projectId, environmentId })
  const used = useRunRows(query)
  const { rows, loaded, failure, cursor, waiting, paused } = used
  const selection = useSelection(JSON.stringify(query), rows)
  const { more } = used
  const onEnd = useCallback(() => {
    if (!paused && !failure) more()
  }, [more, paused, failure])
  const isSearchedOn = loaded && rows.length === 0 && cursor !== undefined
  // a search, or filters that no index matches, may start with empty pages
  useEffect(() => {
    if (isSearchedOn) onEnd()
  }, [isSearchedOn, onEnd])

  const isRefused = failure && (failure.status === 403 || failure.status === 404 || failure.status === 422)
  const content = () => {
    if (failure && (!loaded || isRefused)) return <Failed failure={failure} retry={used.refresh} />
    if (!loaded) return <Loading rows={10} label="Loading runs" />
    if (rows.length === 0 && cursor === undefined) return <Nothing filtered={filtered} clear={clear} />
    return (
      <>
        {failure && <Stale refresh={used.refresh} />}
        {waiting > 0 && (
          <div className="run-waiting-above">
            <Button small tone="primary" onClick={() => window.scrollTo({ top: 0 })}>
              {waiting === 1 ? '1 new run' : `${waiting} new runs`}
            </Button>
          </div>
        )}
        {rows.length > 0 && (
          <RunTable
            rows={rows}
            isOpen={cursor !== undefined}
            hrefOf={(run: PresentedRun) => runAt(place, run.id)}
            userId={session.user.id}
            selected={selection.selected}
            onSelect={selection.select}
            onSelectAll={selection.selectAll}
            onEnd={onEnd}
            onBelow={used.readBelow}
          />
        )}
        <p className="run-list-end faint" role="status">
          {cursor === undefined ? (
            rows.length > 20 && `${rows.length.toLocaleString('en')} runs`
          ) : paused ? (
            <>
              No match in the latest runs. <Button onClick={more}>Search further back</Button>
            </>
          ) : (
            <>
              <span className="spinner" aria-hidden="true" /> {query.search ? 'Searching' : 'Loading more'}
            </>
          )}
        </p>
      </>
    )
  }
  return (
    <>
      <div className="run-list-head">
        <Views address={address} show={show} />
        {loaded && <StreamNote live={used.live} />}
      </div>
      <RunFilters query={query} within={within} change={change} projectId={projectId} environmentId={environmentId} />
      <div aria-busy={used.loading}>
        {content()}
        <SelectedBar
          runs={selection.runs}
          areAll={rows.length > 0 && selection.runs.length === rows.length}
          query={query}
          clear={selection.clear}
        />
      </div>
    </>
  )
}

function Nothing({ filtered, clear }: { filtered: boolean; clear: () => void }) {
  const place = usePlace()
  if (filtered)
    return (
      <Empty icon="run" title="No matching runs" action={<Button onClick={clear}>Show all runs</Button>}>
        Change the filters to see other runs.
      </Empty>
    )
  return (
    <Empty
      icon="run"
      title="No runs yet"
      action={
        <LinkButton tone="primary" icon="chat" href={at(place, 'playground')}>
          Start the first one
        </LinkButton>
      }
    >
      A run is one execution of an Agent: a prompt, steps and an answer.
    </Empty>
  )
}
