/**
 * Markdown as elements of React, and never as HTML: markup in it stays text, links lead to http(s) only, and an image is a
 * link to where it is, since reading an answer must not tell another server that it is read.
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
  // of a list of tasks: nothing to be ticked here
  input: ({ checked }) => (checked ? '☑' : '☐'),
  // wide ones scroll by themselves; the keyboard gets into them
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
