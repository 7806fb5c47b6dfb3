/** Attachments of a prompt, chosen or dropped on the form. */
import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { Button, IconButton } from '../../../ui/forms/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { acceptedFiles, problemOf, problemTogether, sizeText } from './attachment-rules.ts'

interface ChosenFile {
  file: File
  problem: string | undefined
}

interface Attachments {
  chosen: readonly ChosenFile[]
  /** Reason why they cannot be sent. */
  problem: string | undefined
  add(files: Iterable<File>): Promise<void>
  remove(file: File): void
  clear(): void
}

export function useAttachments(): Attachments {
  const [chosen, setChosen] = useState<readonly ChosenFile[]>([])
  const bad = chosen.find(({ problem }) => problem !== undefined)
  return {
    chosen,
    problem: bad ? `${bad.file.name} ${bad.problem}.` : problemTogether(chosen.map(({ file }) => file)),
    async add(files) {
      const added = await Promise.all([...files].map(async (file) => ({ file, problem: await problemOf(file) })))
      setChosen((now) => [...now, ...added])
    },
    remove: (file) => setChosen((now) => now.filter((each) => each.file !== file)),
    clear: () => setChosen([]),
  }
}

/** Accepts dropped files. */
export function DropArea({ attachments, children }: { attachments: Attachments; children: ReactNode }) {
  const [over, setOver] = useState(false)
  const holdsFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files')
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same for keyboard users
    <div
      className={over ? 'drop-area drop-area-over' : 'drop-area'}
      onDragOver={(event) => {
        if (!holdsFiles(event)) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        if (!holdsFiles(event)) return
        event.preventDefault()
        setOver(false)
        void attachments.add(event.dataTransfer.files)
      }}
    >
      {children}
    </div>
  )
}

export function AttachButton({ attachments }: { attachments: Attachments }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button small icon="plus" onClick={() => input.current?.click()}>
        Attach
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        accept={acceptedFiles}
        onChange={({ target }) => {
          void attachments.add(target.files ?? [])
          target.value = ''
        }}
      />
    </>
  )
}

/** Chosen files, each with its problem. */
export function AttachmentList({ attachments: { chosen, problem, remove } }: { attachments: Attachments }) {
  if (chosen.length === 0) return null
  return (
    <div className="chosen-files">
      <ul className="chosen-file-list">
        {chosen.map(({ file, problem }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be chosen twice
          <li key={place} className={problem ? 'chosen-file chosen-file-bad' : 'chosen-file'}>
            <Icon name={problem ? 'warning' : 'log'} size={14} />
            <span className="ellipsis chosen-file-name">{file.name}</span>
            <span className="faint number">{sizeText(file.size)}</span>
            <IconButton small label={`Remove ${file.name}`} icon="close" onClick={() => remove(file)} />
          </li>
        ))}
      </ul>
      {problem && (
        <p className="field-issues" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}
