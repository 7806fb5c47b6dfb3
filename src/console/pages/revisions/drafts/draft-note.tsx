/** Notes about a draft: restored, outdated by a newer revision, changed in another tab, or not saved. */
import { Button } from '../../../ui/forms/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Time } from '../../../ui/time.tsx'
import type { KeptState } from './use-draft.ts'

interface DraftNoteProps {
  draft: KeptState
  /** Number of the latest revision; undefined if there is none. */
  latest: number | undefined
  onDiscard: () => void
  /** Loads the version of the other tab. */
  onTake: (text: string) => void
}

export function DraftNote({ draft, latest, onDiscard, onTake }: DraftNoteProps) {
  const { restoredAt, behind, elsewhere, isKept } = draft
  return (
    <>
      {restoredAt !== undefined && (
        <div className={behind === undefined ? 'banner' : 'banner banner-warning'} role="status">
          <Icon name={behind === undefined ? 'clock' : 'warning'} />
          <span>
            Your unpublished draft of <Time at={new Date(restoredAt).toISOString()} /> was restored.
            {behind !== undefined &&
              ` It is based on ${behind === 0 ? 'no revision' : `revision ${behind}`}; revision ${latest} has been published since. The changes shown are those from revision ${latest}.`}
          </span>
          <Button small onClick={onDiscard}>
            Discard draft
          </Button>
        </div>
      )}
      {elsewhere && (
        <div className="banner banner-warning" role="status">
          <Icon name="warning" />
          <span>This draft was changed in another tab. What you type here replaces it.</span>
          <Button small onClick={() => onTake(elsewhere.text)}>
            Load the other version
          </Button>
        </div>
      )}
      {!isKept && (
        <div className="banner banner-warning" role="status">
          <Icon name="warning" />
          <span>This browser cannot save the draft. Publish it, or copy it, before you close the tab.</span>
        </div>
      )}
    </>
  )
}
