/** The frame of a page: its title, what it is about, what one can do. */
import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'wouter'

export interface PageProps {
  title: string
  /** A sentence on what is here. */
  about?: ReactNode
  /** Beside the title: a state. */
  badge?: ReactNode
  /** Buttons at the right. */
  actions?: ReactNode
  /** The page above. */
  up?: { title: string; href: string }
  children: ReactNode
  /** Without a bound on the width: charts and waterfalls. */
  wide?: boolean
}

let pagesShown = 0

export function Page({ title, about, badge, actions, up, children, wide }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)

  useEffect(() => {
    document.title = `${title} · Troupe`
  }, [title])

  // after navigation the focus begins at the title
  useEffect(() => {
    if (pagesShown++ > 0) heading.current?.focus({ preventScroll: true })
  }, [])

  return (
    <article className={wide ? 'page page-wide' : 'page'}>
      <header className="page-head">
        <div className="page-titles">
          {up && (
            <Link href={up.href} className="page-up">
              {up.title}
            </Link>
          )}
          <div className="page-title">
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {badge}
          </div>
          {about && <p className="page-about">{about}</p>}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </article>
  )
}

/** A part of a page with a title of its own. */
export const Section = ({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) => (
  <section className="section" aria-label={title}>
    <header className="section-head">
      <h2>{title}</h2>
      {actions}
    </header>
    {children}
  </section>
)

/** Names and values beside each other. */
export const Facts = ({ facts }: { facts: [name: string, value: ReactNode][] }) => (
  <dl className="facts">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
