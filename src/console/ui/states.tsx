/** Loading, empty, error and permission states of a page. */
import type { ReactNode } from 'react'
import type { ApiFailure } from '../api/failure.ts'
import type { Resource } from '../data/resource.ts'
import { Button } from './forms/button.tsx'
import { Icon, type IconName } from './icon.tsx'

interface NoticeProps {
  icon: IconName
  title: string
  children?: ReactNode
  /** A remedy, such as a button. */
  action?: ReactNode
  /** Announced to screen readers when it appears. */
  urgent?: boolean
}

export const Notice = ({ icon, title, children, action, urgent }: NoticeProps) => (
  <div className="notice" role={urgent ? 'alert' : undefined}>
    <span className="notice-icon">
      <Icon name={icon} size={22} />
    </span>
    <p className="notice-title">{title}</p>
    {children && <div className="notice-text">{children}</div>}
    {action && <div className="notice-action">{action}</div>}
  </div>
)

/** An empty list: say what it would hold and how to create the first item. */
export const Empty = ({ icon = 'inbox', ...rest }: Omit<NoticeProps, 'icon'> & { icon?: IconName }) => (
  <Notice icon={icon} {...rest} />
)

/** A skeleton. What follows it on the page is hidden until it is gone, so that nothing moves under the pointer. */
export const Loading = ({ rows = 5, label = 'Loading' }: { rows?: number; label?: string }) => (
  <div className="skeleton" role="status" aria-label={label}>
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
      <span key={row} className={`skeleton-line skeleton-${row % 4}`} />
    ))}
  </div>
)

/** A long operation in progress. */
export const Progress = ({ label }: { label: string }) => (
  <div className="progress" role="status">
    <span className="progress-track" aria-hidden="true" />
    <span>{label}</span>
  </div>
)

const texts = (failure: ApiFailure): { icon: IconName; title: string; text: string } => {
  if (failure.permission)
    return { icon: 'lock', title: 'Access denied', text: `You need the permission ${failure.permission}.` }
  if (failure.status === 403) return { icon: 'lock', title: 'Access denied', text: failure.message }
  if (failure.status === 404)
    return {
      icon: 'inbox',
      title: 'Not found',
      text: 'It does not exist, or you do not have access to it.',
    }
  if (failure.status === 0)
    return { icon: 'warning', title: 'The server is not responding', text: 'Check the connection, then try again.' }
  return { icon: 'warning', title: 'This could not be loaded', text: failure.message }
}

/** A failed read, with a retry. */
export function Failed({ failure, retry }: { failure: ApiFailure; retry?: (() => unknown) | undefined }) {
  const { icon, title, text } = texts(failure)
  const button = retry && failure.status !== 403 && (
    <Button icon="refresh" onClick={() => void retry()}>
      Try again
    </Button>
  )
  return (
    <Notice icon={icon} title={title} action={button} urgent>
      <p>{text}</p>
      {failure.requestId && <p className="faint">Request {failure.requestId}</p>}
    </Notice>
  )
}

/** What the browser did not get the code of. */
export const NotLoaded = ({ what = 'This part of the page' }: { what?: string }) => (
  <Notice
    icon="warning"
    title={`${what} could not be loaded`}
    urgent
    action={<Button onClick={() => location.reload()}>Reload</Button>}
  >
    <p>The server is not responding, or was updated after you opened the console.</p>
  </Notice>
)

interface ShownProps<Value> {
  resource: Resource<Value>
  children: (value: Value) => ReactNode
  /** A skeleton while loading. */
  rows?: number
}

/** A resource: loading, failed or shown. During a refetch the last value stays; a failed refetch adds a note. */
export function Shown<Value>({ resource, children, rows }: ShownProps<Value>) {
  const { value, failure, refresh } = resource
  if (failure && (value === undefined || failure.status === 404 || failure.status === 403)) {
    return <Failed failure={failure} retry={refresh} />
  }
  if (value === undefined) return <Loading {...(rows !== undefined && { rows })} />
  return (
    <>
      {failure && <Stale refresh={refresh} />}
      {children(value as NonNullable<Value>)}
    </>
  )
}

/** The content may be out of date. */
export const Stale = ({ refresh }: { refresh: () => unknown }) => (
  <div className="banner banner-warning" role="status">
    <Icon name="warning" />
    <span>This may be out of date: the last refresh failed.</span>
    <Button small onClick={() => void refresh()}>
      Try again
    </Button>
  </div>
)
