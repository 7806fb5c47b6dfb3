/** Frame of a page: title, description, actions. */
import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'wouter'

export interface PageProps {
  title: string
  /** One sentence about the page. */
  about?: ReactNode
  /** Shown beside the title, such as a state. */
  badge?: ReactNode
  /** Buttons on the right. */
  actions?: ReactNode
  /** Parent page. */
  up?: { title: string; href: string }
  children: ReactNode
  /** No maximum width: for charts and waterfalls. */
  wide?: boolean
}

let pagesShown = 0

export function Page({ title, about, badge, actions, up, children, wide }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)

  // a run and its Agent have the same title: the parent tells their tabs apart
  const parent = up?.title
  useEffect(() => {
    document.title = [title, parent, 'Troupe'].filter(Boolean).join(' · ')
  }, [title, parent])

  // after navigation the focus starts at the title
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

/** A titled part of a page. */
export const Section = ({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) => (
  <section className="section" aria-label={title}>
    <header className="section-head">
      <h2>{title}</h2>
      {actions}
    </header>
    {children}
  </section>
)

/** A list of names and values. */
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
