/** What a page shows while it has nothing to show: loading, empty, failed, or not for this user. */
import type { ReactNode } from 'react'
import type { ApiFailure } from '../api/failure.ts'
import type { Resource } from '../data/resource.ts'
import { Button } from './forms/button.tsx'
import { Icon, type IconName } from './icon.tsx'

export interface NoticeProps {
  icon: IconName
  title: string
  children?: ReactNode
  /** What one can do about it. */
  action?: ReactNode
  /** Read out when it appears. */
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

/** Nothing is there yet: say what would be, and how to begin. */
export const Empty = ({ icon = 'inbox', ...rest }: Omit<NoticeProps, 'icon'> & { icon?: IconName }) => (
  <Notice icon={icon} {...rest} />
)

/** Grey lines in the shape of what is to come. */
export const Loading = ({ rows = 5, label = 'Loading' }: { rows?: number; label?: string }) => (
  <div className="skeleton" role="status" aria-label={label}>
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
      <span key={row} className={`skeleton-line skeleton-${row % 4}`} />
    ))}
  </div>
)

/** Long work that is under way. */
export const Progress = ({ label }: { label: string }) => (
  <div className="progress" role="status">
    <span className="progress-track" aria-hidden="true" />
    <span>{label}</span>
  </div>
)

const texts = (failure: ApiFailure): { icon: IconName; title: string; text: string } => {
  if (failure.permission)
    return { icon: 'lock', title: 'Access denied', text: `This takes the permission ${failure.permission}.` }
  if (failure.status === 403) return { icon: 'lock', title: 'Access denied', text: failure.message }
  if (failure.status === 404)
    return {
      icon: 'inbox',
      title: 'There is nothing here',
      text: 'It was removed, or never was, or is not yours to see.',
    }
  if (failure.status === 0)
    return { icon: 'warning', title: 'The server does not answer', text: 'Check the connection, then try again.' }
  return { icon: 'warning', title: 'This could not be shown', text: failure.message }
}

/** What went wrong with reading, and what one can do about it. */
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

export interface ShownProps<Value> {
  resource: Resource<Value>
  children: (value: Value) => ReactNode
  /** Lines while it loads. */
  rows?: number
}

/** A resource: loading, failed, or shown. What was there stays while it is read again, with a word if that failed. */
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

/** What is shown may be out of date. */
export const Stale = ({ refresh }: { refresh: () => unknown }) => (
  <div className="banner banner-warning" role="status">
    <Icon name="warning" />
    <span>This may be out of date: the last look at it failed.</span>
    <Button small onClick={() => void refresh()}>
      Try again
    </Button>
  </div>
)
