import type { Sentence } from '../../format/sentence.js';
import type { PageProps } from '../../router.js';
import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { Terms } from '../../ui/figure/terms.js';
import { Words } from '../../ui/figure/words.js';
import { useSettled } from '../../ui/page-head.js';
import { PageTitle } from '../../ui/page-title.js';
import { thesesTexts } from './texts.js';
import './theses-page.css';

/** The page that explains how theses are judged. */
export default function ThesesPage(_: PageProps) {
  const { lead, calls, marks, score, cheating, example } = thesesTexts;
  useSettled(true);
  return (
    <div class="theses-page">
      <PageTitle heading={texts.theses.title} lead={lead} />
      <div class="parts">
        <Points {...calls} />
        <Terms {...marks} />
        <Points {...score} />
        <Terms {...cheating} />
        <Points {...example} />
      </div>
    </div>
  );
}

function Points({ title, points }: { readonly title: string; readonly points: readonly Sentence[] }) {
  return (
    <Card title={title}>
      <ul class="body">
        {points.map((point, i) => (
          <li key={i}>
            <Words of={point} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
