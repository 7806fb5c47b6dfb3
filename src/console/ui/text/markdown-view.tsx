/**
 * Renders Markdown to React elements, never to HTML: markup stays text, links are http(s) only, and an image becomes a link, so
 * that reading an answer sends no request to another server.
 */
import type { ReactNode } from 'react'
import Renderer, { type Components } from 'react-markdown'
import gfm from 'remark-gfm'

const web = /^https?:\/\//i

const Leading = ({ to, children }: { to: string | undefined; children: ReactNode }) =>
  to ? (
    <a href={to} target="_blank" rel="noreferrer nofollow">
      {children}
    </a>
  ) : (
    children
  )

const components: Components = {
  a: ({ href, children }) => <Leading to={href}>{children}</Leading>,
  img: ({ src, alt }) => <Leading to={typeof src === 'string' ? src : undefined}>{alt || 'Image'}</Leading>,
  // task lists are read-only
  input: ({ checked }) => (checked ? '☑' : '☐'),
  // wide content scrolls by itself, and takes the focus for keyboard users
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section className="markdown-wide" tabIndex={0} aria-label="Table">
      <table>{children}</table>
    </section>
  ),
  pre: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section className="markdown-wide" tabIndex={0} aria-label="Code">
      <pre>{children}</pre>
    </section>
  ),
}

export default function MarkdownView({ text }: { text: string }) {
  return (
    <div className="markdown">
      <Renderer
        remarkPlugins={[gfm]}
        components={components}
        urlTransform={(address) => (web.test(address) ? address : '')}
      >
        {text}
      </Renderer>
    </div>
  )
}
