/** Pagination of a list; renders nothing for a single page. */
import type { Pages } from '../data/pages.ts'
import { Button } from './forms/button.tsx'

export function Pager({ label, pages }: { label: string; pages: Pages<unknown> }) {
  const { page, next, previous } = pages
  if (!next && !previous) return null
  return (
    <nav className="pager" aria-label={`Pages of ${label}`}>
      <Button small icon="back" disabled={!previous} onClick={previous}>
        Back
      </Button>
      <span className="faint">Page {page}</span>
      <Button small icon="chevron" disabled={!next} onClick={next}>
        More
      </Button>
    </nav>
  )
}
