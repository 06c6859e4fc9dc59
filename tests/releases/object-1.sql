CREATE TABLE schema_steps (step INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL);
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE threads (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    temporary INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    summary TEXT NOT NULL DEFAULT '',
    summary_updated_at INTEGER,
    -- Messages up to this one are in the summary, or left out of it for good.
    folded_seq INTEGER NOT NULL DEFAULT 0,
    -- Something in the summary was forgotten: it may not be used before it is folded again.
    summary_stale INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX threads_by_update ON threads (updated_at, id);
CREATE TABLE messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    thread TEXT NOT NULL,
    role TEXT NOT NULL,
    text TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    turn TEXT,
    -- stopped, failed, truncated or erased; NULL is whole.
    status TEXT,
    -- Left out of prompts, folds and recall, because something it says was forgotten.
    excluded INTEGER NOT NULL DEFAULT 0,
    -- A user message that may still teach facts: 1 waits, 0 is settled or was said with memory off.
    teaches INTEGER NOT NULL DEFAULT 0,
    external_id TEXT
);
CREATE INDEX messages_by_thread ON messages (thread, seq);
CREATE INDEX messages_by_turn ON messages (turn) WHERE turn IS NOT NULL;
CREATE INDEX messages_to_learn ON messages (thread, seq) WHERE teaches = 1;
CREATE UNIQUE INDEX messages_imported ON messages (external_id) WHERE external_id IS NOT NULL;
CREATE TABLE turns (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    client_id TEXT NOT NULL UNIQUE,
    thread TEXT NOT NULL,
    state TEXT NOT NULL,
    user_message TEXT NOT NULL,
    reply TEXT,
    -- How often it was begun without an end: what bounds recovery.
    attempts INTEGER NOT NULL DEFAULT 0,
    code TEXT,
    accepted_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    prompt_tokens INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX turns_open ON turns (seq) WHERE state IN ('queued', 'running');
CREATE INDEX turns_by_thread ON turns (thread);
CREATE TABLE chunks (
    turn TEXT NOT NULL,
    last_seq INTEGER NOT NULL,
    -- A JSON list of the deltas up to last_seq.
    deltas TEXT NOT NULL,
    PRIMARY KEY (turn, last_seq)
) WITHOUT ROWID;
CREATE TABLE jobs (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    -- Given up, until somebody asks for it again.
    parked INTEGER NOT NULL DEFAULT 0,
    -- How often it was asked for: tells whether that happened again while it was being done. No time can, because
    -- clocks jump back.
    asked INTEGER NOT NULL DEFAULT 1,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (kind, key)
) WITHOUT ROWID;
CREATE INDEX jobs_due ON jobs (due_at) WHERE parked = 0;
CREATE TABLE usage (
    day TEXT PRIMARY KEY,
    turns INTEGER NOT NULL DEFAULT 0,
    model_calls INTEGER NOT NULL DEFAULT 0,
    prompt_tokens INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE traces (
    turn TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    json TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX traces_by_age ON traces (at);
CREATE TABLE facts (
    id TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    -- The text without what doesn't change its meaning: equal forms are the same fact.
    normal TEXT NOT NULL,
    -- Whose and which attribute the text states, where it can have one value only.
    about TEXT,
    -- Text and quote as they are searched.
    search TEXT NOT NULL,
    kind TEXT NOT NULL,
    scope TEXT NOT NULL,
    status TEXT NOT NULL,
    pinned INTEGER NOT NULL,
    edited INTEGER NOT NULL,
    observed_at INTEGER NOT NULL,
    valid_from TEXT,
    valid_until TEXT,
    superseded_by TEXT,
    message TEXT,
    thread TEXT,
    quote TEXT NOT NULL,
    said_at INTEGER NOT NULL,
    turn TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX facts_by_age ON facts (created_at, id);
CREATE INDEX facts_by_status ON facts (status, pinned, observed_at);
CREATE INDEX facts_by_normal ON facts (normal);
CREATE INDEX facts_by_attribute ON facts (about) WHERE about IS NOT NULL;
CREATE INDEX facts_by_successor ON facts (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE TABLE fact_sources (
    fact TEXT NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (fact, message)
) WITHOUT ROWID;
CREATE INDEX fact_sources_by_message ON fact_sources (message);
CREATE TABLE holds (
    fact TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    contests TEXT
) WITHOUT ROWID;
CREATE TABLE changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    op TEXT NOT NULL,
    fact TEXT NOT NULL,
    reason TEXT NOT NULL,
    quote TEXT,
    turn TEXT,
    at INTEGER NOT NULL,
    undoes TEXT,
    undone_by TEXT,
    -- The content is gone because a fact in it was forgotten.
    wiped INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX changes_by_fact ON changes (fact);
CREATE TABLE change_items (
    change INTEGER NOT NULL,
    fact TEXT NOT NULL,
    before TEXT,
    after TEXT,
    -- The fact's version afterwards, also if the fact is gone.
    version INTEGER NOT NULL,
    PRIMARY KEY (change, fact)
) WITHOUT ROWID;
CREATE INDEX change_items_by_fact ON change_items (fact);
CREATE TABLE tombstones (
    hash TEXT PRIMARY KEY,
    forgotten_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE tombstone_key (one INTEGER PRIMARY KEY CHECK (one = 1), key BLOB NOT NULL);
CREATE TABLE outbox (
  mirror TEXT NOT NULL,
  fact TEXT NOT NULL,
  op TEXT NOT NULL,
  version INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  queued_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  parked INTEGER NOT NULL,
  error TEXT,
  PRIMARY KEY (mirror, fact)
) WITHOUT ROWID;
CREATE TABLE mirrors (
  mirror TEXT PRIMARY KEY,
  bound INTEGER NOT NULL DEFAULT 1,
  failures INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  error_at INTEGER,
  shard INTEGER,
  model TEXT
) WITHOUT ROWID;
CREATE TABLE mirror_epoch (one INTEGER PRIMARY KEY CHECK (one = 1), epoch INTEGER NOT NULL);
CREATE TABLE left_shards (shard INTEGER PRIMARY KEY, due_at INTEGER NOT NULL DEFAULT 0);
CREATE TABLE vectors (
  id TEXT PRIMARY KEY,
  fact TEXT NOT NULL,
  version INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  model TEXT NOT NULL,
  digest TEXT,
  state TEXT NOT NULL,
  mutation TEXT,
  sent_at INTEGER NOT NULL,
  check_at INTEGER,
  checks INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX vectors_fact ON vectors (fact);
CREATE INDEX vectors_check ON vectors (check_at) WHERE check_at IS NOT NULL;
CREATE TABLE receipts (fact TEXT PRIMARY KEY, forgotten_at INTEGER NOT NULL, summary TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE indexed_facts (
    doc INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL
);
CREATE TABLE indexed_messages (
    -- The message's place in the archive.
    doc INTEGER PRIMARY KEY,
    thread TEXT NOT NULL,
    said_at INTEGER NOT NULL,
    text TEXT NOT NULL
);
CREATE VIRTUAL TABLE fact_terms USING fts5 (terms, content = '', tokenize = 'ascii');
CREATE VIRTUAL TABLE message_terms USING fts5 (terms, content = '', tokenize = 'ascii');
CREATE VIRTUAL TABLE fact_vocabulary USING fts5vocab (fact_terms, row);
CREATE VIRTUAL TABLE message_vocabulary USING fts5vocab (message_terms, row);
CREATE TABLE fact_embeddings (
    id TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    scale REAL NOT NULL,
    vector BLOB NOT NULL
) WITHOUT ROWID;
INSERT INTO schema_steps VALUES (1, 1796033529109);
INSERT INTO meta VALUES ('owner', '66659f4f0e1720a43bb5b505f37527f7c23ebef6fb05ef36fab011ebb6a04cef');
INSERT INTO meta VALUES ('settings', '{"memory_mode":"on","timezone":"Asia/Tokyo","locale":"","retention_days":null,"never_remember":[]}');
INSERT INTO threads VALUES ('main', '', 0, 1796033529365, 1796033621707, 'My name is Hana.
I live in Osaka.
私は緑茶が好きです。
Remember that my cat is called Tama.
User: I live in Kyoto now.
Assistant: Thanks for telling me.
Assistant: If memory is on, it will be looked through for what to keep.
ユーザー：私の誕生日は5月3日です。
アシスタント：教えてくれてありがとうございます。
アシスタント：記憶がオンなら、あとで覚えるべきことを整理します。', 1796033640013, 14, 0);
INSERT INTO threads VALUES ('th_quhb6xspesemnsvb', '旅行', 0, 1796033529337, 1796033640237, '', NULL, 0, 0);
INSERT INTO messages VALUES (1, 'm_y6dxaibnd2dsw7a5', 'main', 'user', 'My name is Hana.', 1796033529496, 't_ccjvl7antbuaptln', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (2, 'm_zxj7yhkbu3cfcz2j', 'main', 'assistant', 'Thanks for telling me. If memory is on, it will be looked through for what to keep.

I''m Kioku''s built-in model: there is no language model behind me, so I can only answer from what is remembered about you. To connect a real one, set MODEL_PROVIDER=openai with MODEL_BASE_URL and CHAT_MODEL (any OpenAI-compatible server, for example Ollama at http://localhost:11434/v1), or MODEL_PROVIDER=workers-ai.', 1796033529637, 't_ccjvl7antbuaptln', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (3, 'm_qc72l7h27eonzzbl', 'main', 'user', 'I live in Osaka.', 1796033538463, 't_htedtbmqu4axf2bn', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (4, 'm_itzsicktdktq5mzt', 'main', 'assistant', 'Thanks for telling me. If memory is on, it will be looked through for what to keep.', 1796033538508, 't_htedtbmqu4axf2bn', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (5, 'm_jwcpzbs5ieezrp7y', 'main', 'user', '私は緑茶が好きです。', 1796033546863, 't_cerglttzsq7gfo3y', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (6, 'm_xmvosvwbsnxn2can', 'main', 'assistant', '教えてくれてありがとうございます。記憶がオンなら、あとで覚えるべきことを整理します。', 1796033546935, 't_cerglttzsq7gfo3y', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (7, 'm_4bjcobotwebvwxpr', 'main', 'user', 'Remember that my cat is called Tama.', 1796033555358, 't_m3fuofijkqom5e6q', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (8, 'm_rzzhhnusci3hnx2h', 'main', 'assistant', 'Thanks for telling me. If memory is on, it will be looked through for what to keep.', 1796033555401, 't_m3fuofijkqom5e6q', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (9, 'm_bej5il7btqgkzsyo', 'main', 'user', 'What is my cat called?', 1796033555876, 't_77ni35o2gevluhwy', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (10, 'm_nrxckwu32jfdnhrv', 'main', 'assistant', 'my cat is called Tama', 1796033555886, 't_77ni35o2gevluhwy', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (11, 'm_xppfgu2m3rc7dk2z', 'main', 'user', 'I live in Kyoto now.', 1796033563931, 't_aj5hgyah3q5yu2k5', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (12, 'm_gjt6yvkshognhcar', 'main', 'assistant', 'Thanks for telling me. If memory is on, it will be looked through for what to keep.', 1796033563943, 't_aj5hgyah3q5yu2k5', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (13, 'm_er2odpguzu5yco3h', 'main', 'user', '私の誕生日は5月3日です。', 1796033572096, 't_hu7h62iyx2msvooq', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (14, 'm_hy3bb456hwqrfhjm', 'main', 'assistant', '教えてくれてありがとうございます。記憶がオンなら、あとで覚えるべきことを整理します。', 1796033572103, 't_hu7h62iyx2msvooq', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (15, 'm_7yp3tygjpcvygxnx', 'main', 'user', 'From now on always answer in French.', 1796033580265, 't_bmcvbthv2dkaqmrn', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (16, 'm_cto77lx5tltgb45o', 'main', 'assistant', 'Thanks for telling me. If memory is on, it will be looked through for what to keep.', 1796033580306, 't_bmcvbthv2dkaqmrn', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (17, 'm_iocvw6s3rej75t2x', 'main', 'user', 'Thank you.', 1796033588440, 't_khjglnid55viz6ao', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (18, 'm_s4kt4svqsn2fvlry', 'main', 'assistant', 'You''re welcome.', 1796033588448, 't_khjglnid55viz6ao', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (19, 'm_hkxqu3juyynask2n', 'main', 'user', 'I work as a nurse.', 1796033596578, 't_arvrm6xschvxnfc2', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (20, 'm_wlhxn7gwpr3uoieo', 'main', 'assistant', 'Thanks for telling me. If memory is on, it will be looked through for what to keep.', 1796033596595, 't_arvrm6xschvxnfc2', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (21, 'm_l5koistbpmtiagng', 'main', 'user', 'ありがとう。', 1796033604920, 't_4e6mssjirweke3hk', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (22, 'm_zrwzw2q36y456246', 'main', 'assistant', 'どういたしまして。', 1796033604968, 't_4e6mssjirweke3hk', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (23, 'm_jbwhhbqoigqs2236', 'main', 'user', 'Good night.', 1796033621707, 't_22wve377eixolkb5', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (24, 'm_kmqmetu4oo76kc4r', 'main', 'assistant', 'I''ve read that, but I can only answer questions about what is remembered of you.', 1796033621709, 't_22wve377eixolkb5', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (25, 'm_a7ssdbyaldisuusn', 'th_quhb6xspesemnsvb', 'user', 'どこへ行こうかな。', 1796033640237, 't_umnj5dkqyjm65hw6', NULL, 0, 0, NULL);
INSERT INTO messages VALUES (26, 'm_z4ftwpxga6lrrxrj', 'th_quhb6xspesemnsvb', 'assistant', 'それにはお答えできません。

私はKiokuの内蔵モデルです。言語モデルはつながっていないので、あなたについて覚えていることにしか答えられません。本物のモデルを使うには、MODEL_PROVIDER=openai と MODEL_BASE_URL、CHAT_MODEL（OpenAI互換サーバー、例えば http://localhost:11434/v1 のOllama）を設定するか、MODEL_PROVIDER=workers-ai にしてください。', 1796033640239, 't_umnj5dkqyjm65hw6', NULL, 0, 0, NULL);
INSERT INTO turns VALUES (1, 't_ccjvl7antbuaptln', 'c-9171-1', 'main', 'done', 'm_y6dxaibnd2dsw7a5', 'm_zxj7yhkbu3cfcz2j', 1, NULL, 1796033529496, 1796033529497, 1796033529637, 254, 110);
INSERT INTO turns VALUES (2, 't_htedtbmqu4axf2bn', 'c-9171-2', 'main', 'done', 'm_qc72l7h27eonzzbl', 'm_itzsicktdktq5mzt', 1, NULL, 1796033538463, 1796033538464, 1796033538508, 391, 22);
INSERT INTO turns VALUES (3, 't_cerglttzsq7gfo3y', 'c-9171-3', 'main', 'done', 'm_jwcpzbs5ieezrp7y', 'm_xmvosvwbsnxn2can', 1, NULL, 1796033546863, 1796033546863, 1796033546935, 521, 32);
INSERT INTO turns VALUES (4, 't_m3fuofijkqom5e6q', 'c-9171-4', 'main', 'done', 'm_4bjcobotwebvwxpr', 'm_rzzhhnusci3hnx2h', 1, NULL, 1796033555358, 1796033555359, 1796033555401, 510, 22);
INSERT INTO turns VALUES (5, 't_77ni35o2gevluhwy', 'c-9171-5', 'main', 'done', 'm_bej5il7btqgkzsyo', 'm_nrxckwu32jfdnhrv', 1, NULL, 1796033555876, 1796033555876, 1796033555886, 563, 6);
INSERT INTO turns VALUES (6, 't_aj5hgyah3q5yu2k5', 'c-9171-6', 'main', 'done', 'm_xppfgu2m3rc7dk2z', 'm_gjt6yvkshognhcar', 1, NULL, 1796033563931, 1796033563931, 1796033563943, 583, 22);
INSERT INTO turns VALUES (7, 't_hu7h62iyx2msvooq', 'c-9171-7', 'main', 'done', 'm_er2odpguzu5yco3h', 'm_hy3bb456hwqrfhjm', 1, NULL, 1796033572096, 1796033572096, 1796033572103, 580, 32);
INSERT INTO turns VALUES (8, 't_bmcvbthv2dkaqmrn', 'c-9171-8', 'main', 'done', 'm_7yp3tygjpcvygxnx', 'm_cto77lx5tltgb45o', 1, NULL, 1796033580265, 1796033580266, 1796033580306, 740, 22);
INSERT INTO turns VALUES (9, 't_khjglnid55viz6ao', 'c-9171-9', 'main', 'done', 'm_iocvw6s3rej75t2x', 'm_s4kt4svqsn2fvlry', 1, NULL, 1796033588440, 1796033588441, 1796033588448, 535, 5);
INSERT INTO turns VALUES (10, 't_arvrm6xschvxnfc2', 'c-9171-10', 'main', 'done', 'm_hkxqu3juyynask2n', 'm_wlhxn7gwpr3uoieo', 1, NULL, 1796033596578, 1796033596579, 1796033596595, 721, 22);
INSERT INTO turns VALUES (11, 't_4e6mssjirweke3hk', 'c-9171-11', 'main', 'done', 'm_l5koistbpmtiagng', 'm_zrwzw2q36y456246', 1, NULL, 1796033604920, 1796033604921, 1796033604968, 757, 7);
INSERT INTO turns VALUES (12, 't_22wve377eixolkb5', 'c-9171-12', 'main', 'done', 'm_jbwhhbqoigqs2236', 'm_kmqmetu4oo76kc4r', 1, NULL, 1796033621707, 1796033621707, 1796033621709, 572, 21);
INSERT INTO turns VALUES (13, 't_umnj5dkqyjm65hw6', 'c-9171-13', 'th_quhb6xspesemnsvb', 'done', 'm_a7ssdbyaldisuusn', 'm_z4ftwpxga6lrrxrj', 1, NULL, 1796033640237, 1796033640238, 1796033640239, 427, 116);
INSERT INTO jobs VALUES ('clean', 'daily', 1796119929637, 0, NULL, 0, 1, 1796033529637);
INSERT INTO usage VALUES ('2026-11-30', 13, 36, 16249, 1316);
INSERT INTO traces VALUES ('t_22wve377eixolkb5', 1796033621709, '{"recall":{"dropped":{"excluded":0,"facts":0,"passages":0,"question_cut":false,"recent":0,"summary_cut":false},"facts":[{"fact":"f_4u723fm3szp4zmrd","score":0.6},{"fact":"f_dh6xhd45pidb7ghb","score":0.39364438936261126},{"fact":"f_4xgthlc5xlymlogl","score":0.3423537123800894},{"fact":"f_vs5pvllm5ll2msof","score":0.0},{"fact":"f_t4vvn25u7wyvey2a","score":0.0},{"fact":"f_ef37expwa6aa22xr","score":0.0}],"passages":[],"tokens":572}}');
INSERT INTO traces VALUES ('t_4e6mssjirweke3hk', 1796033604966, '{"recall":{"dropped":{"excluded":0,"facts":0,"passages":0,"question_cut":false,"recent":0,"summary_cut":false},"facts":[{"fact":"f_4xgthlc5xlymlogl","score":0.6},{"fact":"f_ef37expwa6aa22xr","score":0.454253823765489},{"fact":"f_t4vvn25u7wyvey2a","score":0.25694416713173673},{"fact":"f_4u723fm3szp4zmrd","score":0.01695706726803379},{"fact":"f_dh6xhd45pidb7ghb","score":0.012948785222110803},{"fact":"f_vs5pvllm5ll2msof","score":0.0}],"passages":[{"message":"m_xmvosvwbsnxn2can","score":1.0},{"message":"m_4bjcobotwebvwxpr","score":0.25},{"message":"m_jwcpzbs5ieezrp7y","score":0.1}],"tokens":757}}');
INSERT INTO traces VALUES ('t_77ni35o2gevluhwy', 1796033555880, '{"recall":{"dropped":{"excluded":0,"facts":0,"passages":0,"question_cut":false,"recent":0,"summary_cut":false},"facts":[{"fact":"f_t4vvn25u7wyvey2a","score":2.4},{"fact":"f_ef37expwa6aa22xr","score":0.36397217791480047},{"fact":"f_awyaul7li36wn6ru","score":0.2298325554390291},{"fact":"f_dh6xhd45pidb7ghb","score":0.0}],"passages":[],"tokens":563}}');
INSERT INTO traces VALUES ('t_aj5hgyah3q5yu2k5', 1796033563943, '{"memory":{"refused":[],"stored":[{"fact":"f_4xgthlc5xlymlogl","op":"superseded"}]},"recall":{"dropped":{"excluded":0,"facts":0,"passages":0,"question_cut":false,"recent":0,"summary_cut":false},"facts":[{"fact":"f_awyaul7li36wn6ru","score":2.3908913060643315},{"fact":"f_ef37expwa6aa22xr","score":0.6},{"fact":"f_t4vvn25u7wyvey2a","score":0.4495798557712671},{"fact":"f_dh6xhd45pidb7ghb","score":0.0}],"passages":[],"tokens":583}}');
INSERT INTO traces VALUES ('t_arvrm6xschvxnfc2', 1796033596595, '{"memory":{"refused":[],"stored":[{"fact":"f_vs5pvllm5ll2msof","op":"added"}]},"recall":{"dropped":{"excluded":0,"facts":0,"passages":0,"question_cut":false,"recent":0,"summary_cut":false},"facts":[{"fact":"f_4xgthlc5xlymlogl","score":0.6},{"fact":"f_ef37expwa6aa22xr","score":0.4246670593205872},{"fact":"f_t4vvn25u7wyvey2a","score":0.19716867174996397},{"fact":"f_4u723fm3szp4zmrd","score":0.0},{"fact":"f_dh6xhd45pidb7ghb","score":0.0}],"passages":[{"message":"m_zxj7yhkbu3cfcz2j","score":1.8},{"message":"m_qc72l7h27eonzzbl","score":0.45},{"message":"m_y6dxaibnd2dsw7a5","score":0.18000000000000002}],"tokens":721}}');
INSERT INTO traces VALUES ('t_bmcvbthv2dkaqmrn', 1796033580294, '{"memory":{"refused":[],"stored":[{"fact":"f_3dqsplguj4pjlrzl","op":"held"}]},"recall":{"dropped":{"excluded":0,"facts":0,"passages":0,"question_cut":false,"recent":0,"summary_cut":false},"facts":[{"fact":"f_4xgthlc5xlymlogl","score":0.6},{"fact":"f_ef37expwa6aa22xr","score":0.5967531851671838},{"fact":"f_t4vvn25u7wyvey2a","score":0.40006956665308574},{"fact":"f_4u723fm3szp4zmrd","score":0.0},{"fact":"f_dh6xhd45pidb7ghb","score":0.0}],"passages":[{"message":"m_zxj7yhkbu3cfcz2j","score":1.8},{"message":"m_qc72l7h27eonzzbl","score":0.45},{"message":"m_y6dxaibnd2dsw7a5","score":0.18000000000000002}],"tokens":740}}');
INSERT INTO traces VALUES ('t_ccjvl7antbuaptln', 1796033529582, '{"memory":{"refused":[],"stored":[{"fact":"f_ef37expwa6aa22xr","op":"added"}]},"recall":{"dropped":{"excluded":0,"facts":0,"passages":0,"question_cut":false,"recent":0,"summary_cut":false},"facts":[],"passages":[],"tokens":254}}');
INSERT INTO traces VALUES ('t_cerglttzsq7gfo3y', 1796033546909, '{"memory":{"refused":[],"stored":[{"fact":"f_dh6xhd45pidb7ghb","op":"added"}]},"recall":{"dropped":{"excluded":0,"facts":0,"passages":0,"question_cut":false,"recent":0,"summary_cut":false},"facts":[{"fact":"f_awyaul7li36wn6ru","score":0.6},{"fact":"f_ef37expwa6aa22xr","score":0.4750474556500064}],"passages":[],"tokens":521}}');
INSERT INTO traces VALUES ('t_htedtbmqu4axf2bn', 1796033538507, '{"memory":{"refused":[],"stored":[{"fact":"f_awyaul7li36wn6ru","op":"added"}]},"recall":{"dropped":{"excluded":0,"facts":0,"passages":0,"question_cut":false,"recent":0,"summary_cut":false},"facts":[{"fact":"f_ef37expwa6aa22xr","score":0.6}],"passages":[],"tokens":391}}');
INSERT INTO traces VALUES ('t_hu7h62iyx2msvooq', 1796033572102, '{"memory":{"refused":[],"stored":[{"fact":"f_4u723fm3szp4zmrd","op":"added"}]},"recall":{"dropped":{"excluded":0,"facts":0,"passages":0,"question_cut":false,"recent":0,"summary_cut":false},"facts":[{"fact":"f_4xgthlc5xlymlogl","score":0.6},{"fact":"f_dh6xhd45pidb7ghb","score":0.25363556122985736},{"fact":"f_ef37expwa6aa22xr","score":0.17704671610679495},{"fact":"f_t4vvn25u7wyvey2a","score":0.0515561392567576}],"passages":[],"tokens":580}}');
INSERT INTO traces VALUES ('t_khjglnid55viz6ao', 1796033588448, '{"recall":{"dropped":{"excluded":0,"facts":0,"passages":0,"question_cut":false,"recent":0,"summary_cut":false},"facts":[{"fact":"f_ef37expwa6aa22xr","score":0.9866238275912822},{"fact":"f_4xgthlc5xlymlogl","score":0.6},{"fact":"f_dh6xhd45pidb7ghb","score":0.2565905781386558},{"fact":"f_t4vvn25u7wyvey2a","score":0.14692099844091294},{"fact":"f_4u723fm3szp4zmrd","score":0.14355775981202384}],"passages":[],"tokens":535}}');
INSERT INTO traces VALUES ('t_m3fuofijkqom5e6q', 1796033555362, '{"memory":{"refused":[],"stored":[{"fact":"f_t4vvn25u7wyvey2a","op":"added"}]},"recall":{"dropped":{"excluded":0,"facts":0,"passages":0,"question_cut":false,"recent":0,"summary_cut":false},"facts":[{"fact":"f_ef37expwa6aa22xr","score":0.6},{"fact":"f_awyaul7li36wn6ru","score":0.3493205781103597},{"fact":"f_dh6xhd45pidb7ghb","score":0.0}],"passages":[],"tokens":510}}');
INSERT INTO traces VALUES ('t_umnj5dkqyjm65hw6', 1796033640239, '{"recall":{"dropped":{"excluded":0,"facts":0,"passages":0,"question_cut":false,"recent":0,"summary_cut":false},"facts":[{"fact":"f_ef37expwa6aa22xr","score":0.6},{"fact":"f_4xgthlc5xlymlogl","score":0.5716112806428948},{"fact":"f_t4vvn25u7wyvey2a","score":0.45904695462979056},{"fact":"f_4u723fm3szp4zmrd","score":0.008968043457874985},{"fact":"f_vs5pvllm5ll2msof","score":0.0},{"fact":"f_dh6xhd45pidb7ghb","score":0.0}],"passages":[],"tokens":427}}');
INSERT INTO facts VALUES ('f_3dqsplguj4pjlrzl', 'Prefers answers in French.', 'prefers answers in french', NULL, 'prefers answers in french.
from now on always answer in french', 'preference', 'global', 'held', 0, 0, 1796033580265, NULL, NULL, NULL, 'm_7yp3tygjpcvygxnx', 'main', 'From now on always answer in French', 1796033580265, 't_bmcvbthv2dkaqmrn', 1796033588319, 1796033588319, 1);
INSERT INTO facts VALUES ('f_4u723fm3szp4zmrd', '誕生日は5月3日。', '誕生日は5月3日', 'birthday/', '誕生日は5月3日。
私の誕生日は5月3日です。', 'identity', 'global', 'current', 0, 0, 1796033572096, NULL, NULL, NULL, 'm_er2odpguzu5yco3h', 'main', '私の誕生日は5月3日です。', 1796033572096, 't_hu7h62iyx2msvooq', 1796033580119, 1796033580119, 1);
INSERT INTO facts VALUES ('f_4xgthlc5xlymlogl', 'Lives in Kyoto.', 'lives in kyoto', 'home/', 'lives in kyoto.
i live in kyoto now', 'place', 'global', 'current', 0, 0, 1796033563931, NULL, NULL, NULL, 'm_xppfgu2m3rc7dk2z', 'main', 'I live in Kyoto now', 1796033563931, 't_aj5hgyah3q5yu2k5', 1796033571968, 1796033571968, 1);
INSERT INTO facts VALUES ('f_awyaul7li36wn6ru', 'Lives in Osaka.', 'lives in osaka', 'home/', 'lives in osaka.
i live in osaka', 'place', 'global', 'past', 0, 0, 1796033538463, NULL, '2026-11-30', 'f_4xgthlc5xlymlogl', 'm_qc72l7h27eonzzbl', 'main', 'I live in Osaka', 1796033538463, 't_htedtbmqu4axf2bn', 1796033546659, 1796033571968, 2);
INSERT INTO facts VALUES ('f_cwcemawtl5haiw5y', 'I play the shamisen.', 'play the shamisen', NULL, 'i play the shamisen.
i play the shamisen.', 'other', 'global', 'current', 1, 0, 1796033640381, NULL, NULL, NULL, NULL, NULL, 'I play the shamisen.', 1796033640381, NULL, 1796033640381, 1796033640665, 2);
INSERT INTO facts VALUES ('f_dh6xhd45pidb7ghb', '緑茶が好き。', '緑茶が好き', NULL, '緑茶が好き。
私は緑茶が好きです。', 'preference', 'global', 'current', 0, 0, 1796033546863, NULL, NULL, NULL, 'm_jwcpzbs5ieezrp7y', 'main', '私は緑茶が好きです。', 1796033546863, 't_cerglttzsq7gfo3y', 1796033555009, 1796033555009, 1);
INSERT INTO facts VALUES ('f_ef37expwa6aa22xr', 'Name is Hana.', 'name is hana', 'name/', 'name is hana.
my name is hana', 'identity', 'global', 'current', 0, 0, 1796033529496, NULL, NULL, NULL, 'm_y6dxaibnd2dsw7a5', 'main', 'My name is Hana', 1796033529496, 't_ccjvl7antbuaptln', 1796033537889, 1796033537889, 1);
INSERT INTO facts VALUES ('f_t4vvn25u7wyvey2a', 'my cat is called Tama', 'my cat is called tama', 'name/cat', 'my cat is called tama
my cat is called tama', 'relationship', 'global', 'current', 0, 0, 1796033555358, NULL, NULL, NULL, 'm_4bjcobotwebvwxpr', 'main', 'my cat is called Tama', 1796033555358, 't_m3fuofijkqom5e6q', 1796033555513, 1796033555513, 1);
INSERT INTO facts VALUES ('f_vs5pvllm5ll2msof', 'Works as a nurse.', 'works as a nurse', 'job/', 'works as a nurse.
i work as a nurse', 'work', 'global', 'current', 0, 0, 1796033596578, NULL, NULL, NULL, 'm_hkxqu3juyynask2n', 'main', 'I work as a nurse', 1796033596578, 't_arvrm6xschvxnfc2', 1796033604650, 1796033604650, 1);
INSERT INTO fact_sources VALUES ('f_t4vvn25u7wyvey2a', 'm_4bjcobotwebvwxpr');
INSERT INTO fact_sources VALUES ('f_3dqsplguj4pjlrzl', 'm_7yp3tygjpcvygxnx');
INSERT INTO fact_sources VALUES ('f_4u723fm3szp4zmrd', 'm_er2odpguzu5yco3h');
INSERT INTO fact_sources VALUES ('f_vs5pvllm5ll2msof', 'm_hkxqu3juyynask2n');
INSERT INTO fact_sources VALUES ('f_dh6xhd45pidb7ghb', 'm_jwcpzbs5ieezrp7y');
INSERT INTO fact_sources VALUES ('f_awyaul7li36wn6ru', 'm_qc72l7h27eonzzbl');
INSERT INTO fact_sources VALUES ('f_4xgthlc5xlymlogl', 'm_xppfgu2m3rc7dk2z');
INSERT INTO fact_sources VALUES ('f_ef37expwa6aa22xr', 'm_y6dxaibnd2dsw7a5');
INSERT INTO holds VALUES ('f_3dqsplguj4pjlrzl', 'reads like an instruction', NULL);
INSERT INTO changes VALUES (1, 'c_u3mqbz6yg2eyfrj5', 'added', 'f_ef37expwa6aa22xr', 'said by the user', 'My name is Hana', 't_ccjvl7antbuaptln', 1796033537889, NULL, NULL, 0);
INSERT INTO changes VALUES (2, 'c_zahiaqbstypbeaqh', 'added', 'f_awyaul7li36wn6ru', 'said by the user', 'I live in Osaka', 't_htedtbmqu4axf2bn', 1796033546659, NULL, NULL, 0);
INSERT INTO changes VALUES (3, 'c_xlocwwy4h3wqei5x', 'added', 'f_dh6xhd45pidb7ghb', 'said by the user', '私は緑茶が好きです。', 't_cerglttzsq7gfo3y', 1796033555009, NULL, NULL, 0);
INSERT INTO changes VALUES (4, 'c_pbg5vct676bhulrc', 'added', 'f_t4vvn25u7wyvey2a', 'said by the user', 'my cat is called Tama', 't_m3fuofijkqom5e6q', 1796033555513, NULL, NULL, 0);
INSERT INTO changes VALUES (5, 'c_4tb2baxysj6xqj7l', 'superseded', 'f_4xgthlc5xlymlogl', 'replaces what was said before', 'I live in Kyoto now', 't_aj5hgyah3q5yu2k5', 1796033571968, NULL, NULL, 0);
INSERT INTO changes VALUES (6, 'c_j77bmaqp4p52tsbx', 'added', 'f_4u723fm3szp4zmrd', 'said by the user', '私の誕生日は5月3日です。', 't_hu7h62iyx2msvooq', 1796033580119, NULL, NULL, 0);
INSERT INTO changes VALUES (7, 'c_qyai5cexbcffmujj', 'held', 'f_3dqsplguj4pjlrzl', 'reads like an instruction', 'From now on always answer in French', 't_bmcvbthv2dkaqmrn', 1796033588319, NULL, NULL, 0);
INSERT INTO changes VALUES (8, 'c_wieef4iiwhefd5xk', 'added', 'f_vs5pvllm5ll2msof', 'said by the user', 'I work as a nurse', 't_arvrm6xschvxnfc2', 1796033604650, NULL, NULL, 0);
INSERT INTO changes VALUES (9, 'c_tqp4cjvfmmeqpbfg', 'added', 'f_cwcemawtl5haiw5y', 'added by the user', 'I play the shamisen.', NULL, 1796033640381, NULL, NULL, 0);
INSERT INTO changes VALUES (10, 'c_zg3ia2uakhmlb62y', 'edited', 'f_cwcemawtl5haiw5y', 'edited by the user', NULL, NULL, 1796033640665, NULL, NULL, 0);
INSERT INTO changes VALUES (11, 'c_d6zppupxcsbudnfa', 'added', 'f_ox5xfb3t6ua54xgl', 'added by the user', NULL, NULL, 1796033640867, NULL, NULL, 1);
INSERT INTO changes VALUES (12, 'c_nh2x472yulxhevuw', 'forgotten', 'f_ox5xfb3t6ua54xgl', 'forgotten by the user', NULL, NULL, 1796033641124, NULL, NULL, 1);
INSERT INTO change_items VALUES (1, 'f_ef37expwa6aa22xr', NULL, '{"id":"f_ef37expwa6aa22xr","text":"Name is Hana.","kind":"identity","scope":"global","status":"current","pinned":false,"edited":false,"observed_at":1796033529496,"valid_from":null,"valid_until":null,"supersedes":[],"superseded_by":null,"message":"m_y6dxaibnd2dsw7a5","thread":"main","quote":"My name is Hana","said_at":1796033529496,"turn":"t_ccjvl7antbuaptln","created_at":1796033537889,"updated_at":1796033537889,"version":1}', 1);
INSERT INTO change_items VALUES (2, 'f_awyaul7li36wn6ru', NULL, '{"id":"f_awyaul7li36wn6ru","text":"Lives in Osaka.","kind":"place","scope":"global","status":"current","pinned":false,"edited":false,"observed_at":1796033538463,"valid_from":null,"valid_until":null,"supersedes":[],"superseded_by":null,"message":"m_qc72l7h27eonzzbl","thread":"main","quote":"I live in Osaka","said_at":1796033538463,"turn":"t_htedtbmqu4axf2bn","created_at":1796033546659,"updated_at":1796033546659,"version":1}', 1);
INSERT INTO change_items VALUES (3, 'f_dh6xhd45pidb7ghb', NULL, '{"id":"f_dh6xhd45pidb7ghb","text":"緑茶が好き。","kind":"preference","scope":"global","status":"current","pinned":false,"edited":false,"observed_at":1796033546863,"valid_from":null,"valid_until":null,"supersedes":[],"superseded_by":null,"message":"m_jwcpzbs5ieezrp7y","thread":"main","quote":"私は緑茶が好きです。","said_at":1796033546863,"turn":"t_cerglttzsq7gfo3y","created_at":1796033555009,"updated_at":1796033555009,"version":1}', 1);
INSERT INTO change_items VALUES (4, 'f_t4vvn25u7wyvey2a', NULL, '{"id":"f_t4vvn25u7wyvey2a","text":"my cat is called Tama","kind":"relationship","scope":"global","status":"current","pinned":false,"edited":false,"observed_at":1796033555358,"valid_from":null,"valid_until":null,"supersedes":[],"superseded_by":null,"message":"m_4bjcobotwebvwxpr","thread":"main","quote":"my cat is called Tama","said_at":1796033555358,"turn":"t_m3fuofijkqom5e6q","created_at":1796033555513,"updated_at":1796033555513,"version":1}', 1);
INSERT INTO change_items VALUES (5, 'f_4xgthlc5xlymlogl', NULL, '{"id":"f_4xgthlc5xlymlogl","text":"Lives in Kyoto.","kind":"place","scope":"global","status":"current","pinned":false,"edited":false,"observed_at":1796033563931,"valid_from":null,"valid_until":null,"supersedes":["f_awyaul7li36wn6ru"],"superseded_by":null,"message":"m_xppfgu2m3rc7dk2z","thread":"main","quote":"I live in Kyoto now","said_at":1796033563931,"turn":"t_aj5hgyah3q5yu2k5","created_at":1796033571968,"updated_at":1796033571968,"version":1}', 1);
INSERT INTO change_items VALUES (5, 'f_awyaul7li36wn6ru', '{"id":"f_awyaul7li36wn6ru","text":"Lives in Osaka.","kind":"place","scope":"global","status":"current","pinned":false,"edited":false,"observed_at":1796033538463,"valid_from":null,"valid_until":null,"supersedes":[],"superseded_by":null,"message":"m_qc72l7h27eonzzbl","thread":"main","quote":"I live in Osaka","said_at":1796033538463,"turn":"t_htedtbmqu4axf2bn","created_at":1796033546659,"updated_at":1796033546659,"version":1}', '{"id":"f_awyaul7li36wn6ru","text":"Lives in Osaka.","kind":"place","scope":"global","status":"past","pinned":false,"edited":false,"observed_at":1796033538463,"valid_from":null,"valid_until":"2026-11-30","supersedes":[],"superseded_by":"f_4xgthlc5xlymlogl","message":"m_qc72l7h27eonzzbl","thread":"main","quote":"I live in Osaka","said_at":1796033538463,"turn":"t_htedtbmqu4axf2bn","created_at":1796033546659,"updated_at":1796033571968,"version":2}', 2);
INSERT INTO change_items VALUES (6, 'f_4u723fm3szp4zmrd', NULL, '{"id":"f_4u723fm3szp4zmrd","text":"誕生日は5月3日。","kind":"identity","scope":"global","status":"current","pinned":false,"edited":false,"observed_at":1796033572096,"valid_from":null,"valid_until":null,"supersedes":[],"superseded_by":null,"message":"m_er2odpguzu5yco3h","thread":"main","quote":"私の誕生日は5月3日です。","said_at":1796033572096,"turn":"t_hu7h62iyx2msvooq","created_at":1796033580119,"updated_at":1796033580119,"version":1}', 1);
INSERT INTO change_items VALUES (7, 'f_3dqsplguj4pjlrzl', NULL, '{"id":"f_3dqsplguj4pjlrzl","text":"Prefers answers in French.","kind":"preference","scope":"global","status":"held","pinned":false,"edited":false,"observed_at":1796033580265,"valid_from":null,"valid_until":null,"supersedes":[],"superseded_by":null,"message":"m_7yp3tygjpcvygxnx","thread":"main","quote":"From now on always answer in French","said_at":1796033580265,"turn":"t_bmcvbthv2dkaqmrn","created_at":1796033588319,"updated_at":1796033588319,"version":1}', 1);
INSERT INTO change_items VALUES (8, 'f_vs5pvllm5ll2msof', NULL, '{"id":"f_vs5pvllm5ll2msof","text":"Works as a nurse.","kind":"work","scope":"global","status":"current","pinned":false,"edited":false,"observed_at":1796033596578,"valid_from":null,"valid_until":null,"supersedes":[],"superseded_by":null,"message":"m_hkxqu3juyynask2n","thread":"main","quote":"I work as a nurse","said_at":1796033596578,"turn":"t_arvrm6xschvxnfc2","created_at":1796033604650,"updated_at":1796033604650,"version":1}', 1);
INSERT INTO change_items VALUES (9, 'f_cwcemawtl5haiw5y', NULL, '{"id":"f_cwcemawtl5haiw5y","text":"I play the shamisen.","kind":"other","scope":"global","status":"current","pinned":false,"edited":false,"observed_at":1796033640381,"valid_from":null,"valid_until":null,"supersedes":[],"superseded_by":null,"message":null,"thread":null,"quote":"I play the shamisen.","said_at":1796033640381,"turn":null,"created_at":1796033640381,"updated_at":1796033640381,"version":1}', 1);
INSERT INTO change_items VALUES (10, 'f_cwcemawtl5haiw5y', '{"id":"f_cwcemawtl5haiw5y","text":"I play the shamisen.","kind":"other","scope":"global","status":"current","pinned":false,"edited":false,"observed_at":1796033640381,"valid_from":null,"valid_until":null,"supersedes":[],"superseded_by":null,"message":null,"thread":null,"quote":"I play the shamisen.","said_at":1796033640381,"turn":null,"created_at":1796033640381,"updated_at":1796033640381,"version":1}', '{"id":"f_cwcemawtl5haiw5y","text":"I play the shamisen.","kind":"other","scope":"global","status":"current","pinned":true,"edited":false,"observed_at":1796033640381,"valid_from":null,"valid_until":null,"supersedes":[],"superseded_by":null,"message":null,"thread":null,"quote":"I play the shamisen.","said_at":1796033640381,"turn":null,"created_at":1796033640381,"updated_at":1796033640665,"version":2}', 2);
INSERT INTO change_items VALUES (11, 'f_ox5xfb3t6ua54xgl', NULL, NULL, 1);
INSERT INTO change_items VALUES (12, 'f_ox5xfb3t6ua54xgl', NULL, NULL, 2);
INSERT INTO tombstones VALUES ('1db2dc5a4bbe28064a3f2946fb7d45d436e03c50cae1a62e69a23cdcd121faec', 1796033641124);
INSERT INTO tombstones VALUES ('d2a6d5d00b9a09c125cb857a3a5f947707d1763c2765cee21a66918fe0e7eb33', 1796033641124);
INSERT INTO tombstone_key VALUES (1, X'1f8dfcfc50cd0bbfcead59fa34326174cec61aa82a8cf5e57d1d2398d828c277');
INSERT INTO mirrors VALUES ('d1', 1, 0, 0, NULL, NULL, 0, NULL);
INSERT INTO mirrors VALUES ('vectorize', 1, 0, 0, NULL, NULL, NULL, 'kioku-embedded');
INSERT INTO mirror_epoch VALUES (1, 1796033537889);
INSERT INTO vectors VALUES ('66659f4f0e1720a4.f_3dqsplguj4pjlrzl.1.922aec', 'f_3dqsplguj4pjlrzl', 1, 1796033537889, 'kioku-embedded', '4661b8d341cacf6908ab865a14933dc5', 'live', 'c1c95185-678c-47a0-8b43-adbe59184006', 1796033588371, NULL, 0);
INSERT INTO vectors VALUES ('66659f4f0e1720a4.f_4u723fm3szp4zmrd.1.922aec', 'f_4u723fm3szp4zmrd', 1, 1796033537889, 'kioku-embedded', 'eeab1ff3e1c9efd1e4fce80c802db80b', 'live', 'ba1f6c31-5dbe-4613-a349-27832ed32be6', 1796033580180, NULL, 0);
INSERT INTO vectors VALUES ('66659f4f0e1720a4.f_4xgthlc5xlymlogl.1.922aec', 'f_4xgthlc5xlymlogl', 1, 1796033537889, 'kioku-embedded', '2e4bd088b8bba8133ef6fc48fcf1c10c', 'live', '2d6c2a32-87e4-44cf-bc84-1c6aa3a89c53', 1796033572003, NULL, 0);
INSERT INTO vectors VALUES ('66659f4f0e1720a4.f_awyaul7li36wn6ru.1.922aec', 'f_awyaul7li36wn6ru', 2, 1796033537889, 'kioku-embedded', 'dca56e8c42fc47f4268b4dbd391cef7e', 'live', '7973992e-b887-4eb7-9ba9-4e6f084af0cb', 1796033546721, NULL, 0);
INSERT INTO vectors VALUES ('66659f4f0e1720a4.f_cwcemawtl5haiw5y.1.922aec', 'f_cwcemawtl5haiw5y', 2, 1796033537889, 'kioku-embedded', '8c0842e1d9e1d0160e4fc4c9192a124e', 'live', 'befea400-94ba-405b-8c38-554a087c82d4', 1796033640484, NULL, 0);
INSERT INTO vectors VALUES ('66659f4f0e1720a4.f_dh6xhd45pidb7ghb.1.922aec', 'f_dh6xhd45pidb7ghb', 1, 1796033537889, 'kioku-embedded', '5adfc9b5b779c8d8d8275ec83d72b66b', 'live', '96f0def3-f691-454d-a6c8-349593dee952', 1796033555194, NULL, 0);
INSERT INTO vectors VALUES ('66659f4f0e1720a4.f_ef37expwa6aa22xr.1.922aec', 'f_ef37expwa6aa22xr', 1, 1796033537889, 'kioku-embedded', '267316d536ec3afc41da17037af0fc96', 'live', '35cb720e-25b0-42a8-9c5f-2a12050a4473', 1796033538073, NULL, 0);
INSERT INTO vectors VALUES ('66659f4f0e1720a4.f_ox5xfb3t6ua54xgl.1.922aec', 'f_ox5xfb3t6ua54xgl', 1, 1796033537889, 'kioku-embedded', NULL, 'buried', '7966faa4-d1e2-4db2-93e4-b510bbc0ce0a', 1796033641285, 1796037243355, 0);
INSERT INTO vectors VALUES ('66659f4f0e1720a4.f_t4vvn25u7wyvey2a.1.922aec', 'f_t4vvn25u7wyvey2a', 1, 1796033537889, 'kioku-embedded', '1364581f497a3faf5d227c85726aea5c', 'live', '11d6cd13-accd-4516-8940-b3ea5c4b402b', 1796033555701, NULL, 0);
INSERT INTO vectors VALUES ('66659f4f0e1720a4.f_vs5pvllm5ll2msof.1.922aec', 'f_vs5pvllm5ll2msof', 1, 1796033537889, 'kioku-embedded', '3db8cd121ee23c0f621243abd1b773fc', 'live', 'a7d4a8ee-8c53-4ce4-ba72-17a1a0fa54bc', 1796033604715, NULL, 0);
INSERT INTO receipts VALUES ('f_ox5xfb3t6ua54xgl', 1796033641124, 'clean');
INSERT INTO indexed_facts VALUES (1, 'f_ef37expwa6aa22xr', 'Name is Hana.');
INSERT INTO indexed_facts VALUES (2, 'f_awyaul7li36wn6ru', 'Lives in Osaka.');
INSERT INTO indexed_facts VALUES (3, 'f_dh6xhd45pidb7ghb', '緑茶が好き。');
INSERT INTO indexed_facts VALUES (4, 'f_t4vvn25u7wyvey2a', 'my cat is called Tama');
INSERT INTO indexed_facts VALUES (5, 'f_4xgthlc5xlymlogl', 'Lives in Kyoto.');
INSERT INTO indexed_facts VALUES (6, 'f_4u723fm3szp4zmrd', '誕生日は5月3日。');
INSERT INTO indexed_facts VALUES (7, 'f_3dqsplguj4pjlrzl', 'Prefers answers in French.');
INSERT INTO indexed_facts VALUES (8, 'f_vs5pvllm5ll2msof', 'Works as a nurse.');
INSERT INTO indexed_facts VALUES (9, 'f_cwcemawtl5haiw5y', 'I play the shamisen.');
INSERT INTO indexed_messages VALUES (1, 'main', 1796033529496, 'My name is Hana.');
INSERT INTO indexed_messages VALUES (2, 'main', 1796033529637, 'Thanks for telling me. If memory is on, it will be looked through for what to keep.

I''m Kioku''s built-in model: there is no language model behind me, so I can only answer from what is remembered about you. To connect a real one, set MODEL_PROVIDER=openai with MODEL_BASE_URL and CHAT_MODEL (any OpenAI-compatible server, for example Ollama at http://localhost:11434/v1), or MODEL_PROVIDER=workers-ai.');
INSERT INTO indexed_messages VALUES (3, 'main', 1796033538463, 'I live in Osaka.');
INSERT INTO indexed_messages VALUES (4, 'main', 1796033538508, 'Thanks for telling me. If memory is on, it will be looked through for what to keep.');
INSERT INTO indexed_messages VALUES (5, 'main', 1796033546863, '私は緑茶が好きです。');
INSERT INTO indexed_messages VALUES (6, 'main', 1796033546935, '教えてくれてありがとうございます。記憶がオンなら、あとで覚えるべきことを整理します。');
INSERT INTO indexed_messages VALUES (7, 'main', 1796033555358, 'Remember that my cat is called Tama.');
INSERT INTO indexed_messages VALUES (8, 'main', 1796033555401, 'Thanks for telling me. If memory is on, it will be looked through for what to keep.');
INSERT INTO indexed_messages VALUES (9, 'main', 1796033555876, 'What is my cat called?');
INSERT INTO indexed_messages VALUES (10, 'main', 1796033555886, 'my cat is called Tama');
INSERT INTO indexed_messages VALUES (11, 'main', 1796033563931, 'I live in Kyoto now.');
INSERT INTO indexed_messages VALUES (12, 'main', 1796033563943, 'Thanks for telling me. If memory is on, it will be looked through for what to keep.');
INSERT INTO indexed_messages VALUES (13, 'main', 1796033572096, '私の誕生日は5月3日です。');
INSERT INTO indexed_messages VALUES (14, 'main', 1796033572103, '教えてくれてありがとうございます。記憶がオンなら、あとで覚えるべきことを整理します。');
INSERT INTO indexed_messages VALUES (15, 'main', 1796033580265, 'From now on always answer in French.');
INSERT INTO indexed_messages VALUES (16, 'main', 1796033580306, 'Thanks for telling me. If memory is on, it will be looked through for what to keep.');
INSERT INTO indexed_messages VALUES (17, 'main', 1796033588440, 'Thank you.');
INSERT INTO indexed_messages VALUES (18, 'main', 1796033588448, 'You''re welcome.');
INSERT INTO indexed_messages VALUES (19, 'main', 1796033596578, 'I work as a nurse.');
INSERT INTO indexed_messages VALUES (20, 'main', 1796033596595, 'Thanks for telling me. If memory is on, it will be looked through for what to keep.');
INSERT INTO indexed_messages VALUES (21, 'main', 1796033604920, 'ありがとう。');
INSERT INTO indexed_messages VALUES (22, 'main', 1796033604968, 'どういたしまして。');
INSERT INTO indexed_messages VALUES (23, 'main', 1796033621707, 'Good night.');
INSERT INTO indexed_messages VALUES (24, 'main', 1796033621709, 'I''ve read that, but I can only answer questions about what is remembered of you.');
INSERT INTO indexed_messages VALUES (25, 'th_quhb6xspesemnsvb', 1796033640237, 'どこへ行こうかな。');
INSERT INTO indexed_messages VALUES (26, 'th_quhb6xspesemnsvb', 1796033640239, 'それにはお答えできません。

私はKiokuの内蔵モデルです。言語モデルはつながっていないので、あなたについて覚えていることにしか答えられません。本物のモデルを使うには、MODEL_PROVIDER=openai と MODEL_BASE_URL、CHAT_MODEL（OpenAI互換サーバー、例えば http://localhost:11434/v1 のOllama）を設定するか、MODEL_PROVIDER=workers-ai にしてください。');
DELETE FROM fact_terms_data;
INSERT INTO fact_terms_data VALUES (1, X'098111');
INSERT INTO fact_terms_data VALUES (10, X'00000002010a0a000a0101010201010301010401010501010601010701010801010901010a0101');
INSERT INTO fact_terms_data VALUES (137438953473, X'00000066053068616e6101020301036e616d0102020105c2a6616d6501020604026e6101020c030368616e01020b03046973c2b701020903046d65c2b701020703036e616d0102050502c2b701020d0304c2b7686101020a0502697301020805026e610102040409080a0708090908070907');
INSERT INTO fact_terms_data VALUES (274877906945, X'0000007904306c697602020201056f73616b610202030105c2a6616b6102020e03046573c2b70202080304696ec2b702020a0402766502020603046b61c2b702020f03036c697602020503036f736102020c030373616b02020d03037665730202070304c2b7696e02020905026c6902020405026f7302020b04080a0a09090709080808080907');
INSERT INTO fact_terms_data VALUES (412316860417, X'000000760c30c2a6e3818ce5a5bde3818d03020d0309e7b791e88cb6e3818c03020b0309e88cb6e3818ce5a5bd03020c0103e3818c0302040403e5a5bd03020903018d0302060103e5a5bd0302050403e3818d03020a0103e7b7910302020403e88cb60302070103e88cb60302030403e3818c03020804100e0e0808060808080808');
INSERT INTO fact_terms_data VALUES (549755813889, X'0000009c053063616c6c040203030174040202010474616d610402040105c2a6616c6c04020e04026d61040214040374c2b7040209030363616c04020d05017404020803046564c2b704021103046973c2b704020b03036c656404021004026c6504020f03046d61c2b7040215040379c2b7040206030374616d0402130304c2b76361040407070502697304020a05026d7904020505027461040212040906090a07080806090908070908080a0707');
INSERT INTO fact_terms_data VALUES (687194767361, X'0000007906306b796f746f05020301036c69760502020106c2a66573c2b70502080304696ec2b705020a0402766505020603036b796f05020c03036c697605020503036f746f05020e0304746fc2b705020f03037665730502070303796f7405020d0304c2b7696e05020905026b7905020b05026c69050204040a080b09070808080908080907');
INSERT INTO fact_terms_data VALUES (824633720833, X'0000008002303306020b0101350602090107c2a6c2b733c2b7060210050335c2b706020f0309e7949fe697a5e381af06020e0309e8aa95e7949fe697a506020d0103e381af0602050103e697a50604040a0403e381af06020802029c8806020a0103e7949f0602030403e697a50602070103e8aa950602020403e7949f0602060406060c080e0e08090807080808');
INSERT INTO fact_terms_data VALUES (962072674305, X'000000bf0530616e737707020301066672656e63680702040104707265660702020105c2a6616e7307020d03046368c2b707021a030365666507020804026e630702180402727307040a090303666572070209040272650702160304696ec2b707021403036e63680702190402737707020e0303707265070206030372656607020705016e070217040373c2b707040b09030373776507020f03037765720702100304c2b7616e07020c050266720702150502696e0702130502707207020504090b090a090807080807090807080806090808090707');
INSERT INTO fact_terms_data VALUES (1099511627777, X'0000008005306e7572730802030104776f726b0802020106c2a66173c2b708020a03046b73c2b708020803036e757208020d03036f726b0802060303726b730802070402736508020f03047365c2b7080210030375727308020e0303776f720802050304c2b761730802090602c2b708020b05026e7508020c0502776f0802040409090b0908080807090808090707');
INSERT INTO fact_terms_data VALUES (1236950581249, X'0000009b0530706c616909020201087368616d6973656e0902030105c2a6616d6909020f040379c2b70902080304656ec2b7090213030368616d09020e040365c2b709020b030369736509021103036c617909020703036d69730902100303706c61090206030373656e0902120402686109020d030374686509020a0305c2b769c2b70902040502706c0902050502736809020c0502746809020904090d0a08090808080808080807080a0707');
INSERT INTO fact_terms_data VALUES (1374389534721, X'00000004');
DELETE FROM fact_terms_idx;
INSERT INTO fact_terms_idx VALUES (1, X'', 2);
INSERT INTO fact_terms_idx VALUES (2, X'', 2);
INSERT INTO fact_terms_idx VALUES (3, X'', 2);
INSERT INTO fact_terms_idx VALUES (4, X'', 2);
INSERT INTO fact_terms_idx VALUES (5, X'', 2);
INSERT INTO fact_terms_idx VALUES (6, X'', 2);
INSERT INTO fact_terms_idx VALUES (7, X'', 2);
INSERT INTO fact_terms_idx VALUES (8, X'', 2);
INSERT INTO fact_terms_idx VALUES (9, X'', 2);
INSERT INTO fact_terms_idx VALUES (10, X'', 2);
DELETE FROM fact_terms_docsize;
INSERT INTO fact_terms_docsize VALUES (1, X'0c');
INSERT INTO fact_terms_docsize VALUES (2, X'0e');
INSERT INTO fact_terms_docsize VALUES (3, X'0c');
INSERT INTO fact_terms_docsize VALUES (4, X'14');
INSERT INTO fact_terms_docsize VALUES (5, X'0e');
INSERT INTO fact_terms_docsize VALUES (6, X'0f');
INSERT INTO fact_terms_docsize VALUES (7, X'19');
INSERT INTO fact_terms_docsize VALUES (8, X'0f');
INSERT INTO fact_terms_docsize VALUES (9, X'12');
DELETE FROM fact_terms_config;
INSERT INTO fact_terms_config VALUES ('secure-delete', 1);
INSERT INTO fact_terms_config VALUES ('version', 5);
DELETE FROM message_terms_data;
INSERT INTO message_terms_data VALUES (1, X'1a8c1f');
INSERT INTO message_terms_data VALUES (10, X'00000001020b1a000a0101010201010301010401010501010601010701010801010901010a01010001110102');
INSERT INTO message_terms_data VALUES (137438953473, X'0000005206307468616e6b1102020105c2a6616e6b110206030368616e11020503046e6bc2b711020703046f75c2b711020a03037468611102040303796f751102090304c2b774681102030502796f110208040a0a080909080809');
INSERT INTO message_terms_data VALUES (274877906945, X'00000072073077656c636f6d1202020105c2a6636f6d12020c0303656c6312020a03036c636f12020b03046d65c2b712020e03036f6d6512020d0402757212020503047265c2b71202070303757265120206030377656c1202090303796f751202040304c2b777651202080502796f120203040b0a08080908070908080809');
INSERT INTO message_terms_data VALUES (412316860417, X'0000008005306e7572731302030104776f726b1302020106c2a66173c2b713020a03036e757213020d03036f726b1302070304726bc2b71302080402736513020f03047365c2b7130210030375727313020e0303776f721302060304c2b761731302090602c2b713020b050369c2b713020405026e7513020c0502776f1302050409090b0808090709080809070807');
INSERT INTO message_terms_data VALUES (549755813889, X'000001f805306b65657014020701046c6f6f6b14020501066d656d6f7269140204010474656c6c140203020468616e6b1402020305726f7567681402060105c2a6616e6b14020b040374c2b714024103046265c2b714022d03046564c2b71402330402657014024604026c6c14021304026d6f14021e040370c2b71402470303666f7214040f2f03046768c2b714023a030368616e14020a0501741402400402726f14023603046966c2b714021b04026c6c14022a04026e67140216040373c2b7140223040374c2b714022703036b6564140232050165140245040373c2b714020d03036c696e14021504026c691402140502c2b714022b04026f6f14022f03036d656d14021d0502c2b714021904026f7214021f03046e67c2b714021704026b7314020c03036f6b6514023104036ec2b714022504026f6b140230040272791402200502c2b71404102f040275671402380303726f75140237040379c2b7140221030374656c1402120402686114020905017214023504036fc2b71402430303756768140239030377686114023f0402696c1402290304c2b7626514022c0502666f14040e2f0502696614021a06017314022206017414022605026b6514024405026c6f14022e05026d651404180605026f6e140224050274651402110601681404082e06016f1402420502776814023e0601691402280409090b09090a0a080909070707080909080607090707080808060808070707080707090708080707080708080807060808080709080706060707080707070607');
INSERT INTO message_terms_data VALUES (687194767361, X'000000450430e381821502020403e3828a15020703018615020603018c1502040403e381a81502090301a81502050403e3818615020a0202828a1502030403e3818c150208040808060608060807');
INSERT INTO message_terms_data VALUES (824633720833, X'000000670430e381841602040403e3819f16020c0301861602030403e3818416020b030197160406040403e381a61602100601be16020e03019f1602050403e3819716020d0301a61602090301a91602020403e3818616020a0301be1602070403e3819716020f0408080608070806060806060806');
INSERT INTO message_terms_data VALUES (962072674305, X'000000610530676f6f6417020201056e696768741702030105c2a667687417020b04026f6f17020503046874c2b717020c030369676817020a03036e696717020903046f64c2b717020704026f641702060304c2b7676f17020405026e6917020804090a0a07090808090709');
INSERT INTO message_terms_data VALUES (1099511627777, X'000001e10530616e73771802030105717565737418020401047265616418020203046d656d621802050105c2a661626f18022c040364c2b718020c04026e7318021d0502c2b7180217040374c2b718041025030362657218023c04026f7518022d04027574180212030363616e180216030365616418020b040364c2b718023f04026d6218023a0501651802380402726518023d0502c2b718022104027374180225030368617418040f250303696f6e180228040373c2b71802350402766518020703046c79c2b718021b03036d626518023b0402656d18023903036e6c7918021a0402737718021e0502c2b718022a03046f66c2b718024104026e6c1802190501731802290402757418022e0502c2b71802440303717565180223030372656118020a05016418023e05016d18023703037374691802260402776518021f030374686118020e0402696f1802270303756573180224040374c2b71804131e03047665c2b71802080303776572180220040268611802310303796f751802430304c2b7616218022b06016e18021c0502627518021105026361180215050269731802340601761802060602c2b718021405026f6618024006016e18021805027175180222050272651804092f0502746818020d050277681802300502796f18024204090a09090a080707090807070808080706070707090808070908070807070907060707080806060807080708090908070809060707070607070607080707');
INSERT INTO message_terms_data VALUES (1236950581249, X'000000930c30c2a6e38193e381b8e8a18c1902110507b8e8a18ce381931902120309e8a18ce38193e381861902130103e381861902070403e3818b19020f03018b1902080403e381aa190210030193190403050403e3818619020e0601b819020b0301a91902020403e3819319020a0301aa1902090301b81902040403e8a18c19020c0103e8a18c1902050403e3819319020d04100c0e08080608070806060806060808');
INSERT INTO message_terms_data VALUES (1374389534721, X'00000893063031313433341a04812b010261691a04813d01036261731a0481140104636861741a0481160104687474701a04812901056b696f6b751a021c01096c6f63616c686f73741a04812a01056d6f64656c1a0a810f06062501066f6c6c616d611a04812e020570656e61691a06811109010670726f7669641a0681102d010375726c1a048115010276311a04812c0104776f726b1a04813c0105c2a63131341a04822d040234331a04822e03043334c2b71a04823003033433341a04822f03046169c2b71a08817e1d3a04026c681a04822704026d611a048237040273651a048206040374c2b71a04820e03036261731a048205030363616c1a048226040268611a04820c030364656c1a0a816f15122f0501721a068177520304656cc2b71a0a817015122f04026e611a06817c1d040272731a04824e0502c2b71a0681785203036861741a04820d04026f731a048229040274741a04822003036964651a0681765204026f6b1a04815003036b65721a04824d0402696f1a04814f040375c2b71a04815203036c616d1a0482360402686f1a04822804026c611a04823504026f631a04822403046d61c2b71a04823804026f641a0a816d15122f03036e61691a06817d1d03036f63611a048225040264651a0a816e15122f04026b751a04815104026c6c1a048234040270651a06817a1d0402726b1a04824b040273741a04822a040276691a06817452030370656e1a06817b1d0402726f1a068172520303726b651a04824c04036cc2b71a04820a04026f761a06817352040373c2b71a04824f03047365c2b71a048207040374c2b71a04822b03047470c2b71a048222040274701a048221030375726c1a04820903047631c2b71a048232040269641a068175520303776f721a04824a0304c2b731311a04822c050261691a048250050262611a048204050263681a04820b050268741a04821f05026b691a04814e05026c6f1a04822305026d6f1a0a816c15122f05026f6c1a0482330601701a0681791d050270721a06817152050275721a048208050276311a0482310502776f1a0482490309e38184e381a6e8a69a1a04815e05078ae7ad94e381881a04814c05078be7ad94e381881a048162050795e383bce381b01a04821c050797e3818be7ad941a0481610507a6e8a69ae381881a04815f0507a7e3828be381a71a0481570b01af1a04815c0a0282921a0481680507aee38282e381a71a0481660606e58685e894b51a0481530507afe3818ae7ad941a04814b04088282e381a7e3828b1a088156070e05078be381a7e381991a0481580804afe381a41a04815d07058292e4bdbf1a048169050792e4bdbfe381861a04816a0606e8a8ade5ae9a1a048239040883bce381b0e383bc1a04821d0309e4ba92e68f9be381951a04821a0408bdbfe38186e381ab1a04816b0408be8be38188e381b01a04821e0309e58685e894b5e382821a0481540408ae9ae38199e3828b1a04823b0309e68f9be38195e383bc1a04821b04089cace789a9e381ae1a0481640309e789a9e381aee382821a0481650408ad94e38188e381a71a04814d0a0282891a0481630309e894b5e38282e381a71a0481550408a69ae38188e381a61a0481600408a880e8aa9ee382821a0481590507ade5ae9ae381991a04823a0408aa9ee38282e381a71a04815a0103e381821a024b0403e381aa1a02630301841a0a37041907710403e381a61a02680601aa1a02470601ae1a02490502828b1a026d0301861a0481020403e381ab1a04810d0301881a08084d0c4a0403e381a61a026b0601a71a02140601b01a048128050282891a027503018a1a02060403e7ad941a021203018b1a045b5b0403e7ad941a027303018c1a02340403e381a31a024403018d1a020a0403e381be1a021603018f1a0481410403e381a01a0481480301931a02570403e381a81a026f0301951a06811b2a0403e381841a04814a050283bc1a0481210301971a045a670403e3818b1a02720601a61a0481460301991a062481100403e3828b1a04813803019b1a040c570403e382931a04186303019d1a02020403e3828c1a020e03019f1a024d0403e381ab1a02650301a01a0481420403e381951a0481490301a31a02350403e381a61a02450301a41a04321f0403e381841a02670601aa1a02420301a61a08361d056e0403e381841a04462806018f1a0481470403e8a69a1a02690301a71a0c091a040e0e450403e3818d1a02150601991a022b0502828b1a0629184c0301a81a04583c0403e381ab1a02700301aa1a063307160403e381841a024806018c1a024306019f1a02640301ab1a0a044c0d2c3d0403e381971a0471560601a41a02660601af1a061081000301ae1a081d1f44330403e381a71a024a050282821a0481070403e586851a02250301af1a08051719550403e3818a1a02110601a41a02410301b01a06811d0b0403e383bc1a0481230301be1a040b570403e3819b1a041763020282821a062010510403e381a71a0628184c0301891a025e0403e3828c1a027603018b1a0a2210282b360403e3818b1a0481390601931a026e0601a71a022a0601af1a0240050282921a04810a03018c1a04035e0403e381ab1a020f0601be1a02770301921a068100310403e4bdbf1a04810b0403e8a8ad1a0481350301931a040d57020283bc1a06811c040403e381b01a0481220103e4ba921a0481190403e68f9b1a04811f0202bdbf1a0481010403e381861a04810c0202be8b1a0481240403e381881a0481270103e586851a021e0403e894b51a02260202ae9a1a0481310403e381991a0481370103e68f9b1a04811a0403e381951a04812002029cac1a027a0403e789a91a0481050103e789a91a027b0403e381ae1a0481060202a7811a02190403e381af1a021b0202ad941a0407570403e381881a0413630103e894b51a021f0403e382821a02270202a69a1a02520403e381881a026a0202a8801a022c0403e8aa9e1a023c0301ad1a0481300403e5ae9a1a0481360202aa9e1a022d0403e382821a023d040b08090a0a0a0f0e0c0c0d09080a0b080a090c080808090909080c080d0908090908080a08090809090808080a0b0a090b0808090808090a09090909090a090a08090a09090a0808080808080b0808090808080f0d0d0d0d0d0d07080d0c0d100d0a0b0d0c0e0f0e0e0f0e0f0e0f0e080f0e0e0d0e08080a0806060707090908060707060807080608060807090608080908070807080907090608060807090608070806090907080b0806090708080806060a0906080908080809080608090709090a06080a09060606080708060809090709090909080908090808080909090709080907080809080807080708070907');
INSERT INTO message_terms_data VALUES (2336462209025, X'00000e87063031313433340202230101330d020f0101350d020d0102616902022802046c7761690f020202036e737702020e0d0203010362617302021802056568696e6402020d020475696c74020209010463616c6c070203020203010203030174070202020202010202020368617402021a02086f6d70617469626c02021d03056e6e65637402021001066578616d706c02021f01066672656e63680f0204010468616e61010203020374747002022101046b6565700202070202070402070402070402070204696f6b750202080204796f746f0b020301076c616e6775616702020b0202697603020208020202086f63616c686f737402022203026f6b02020502020504020504020504020501066d656d6f726902020402020404020404020404020402046f64656c020c0a040a05060c01036e616d01020201066f6c6c616d6102022002026e65020212020570656e616902041608020473616b61030203010670726f7669640204151301047265616c02021103046d656d6202020f01047365727602021e030174020213010474616d610702040302040203656c6c020203020203040203040203040203020468616e6b0202020202020402020402020402020305726f756768020206020206040206040206040206010375726c020219010276310202240104776f726b0202270105c2a631313402048243040234330204824403043334c2b702048246030334333402048245030361626f02048140040267650204810c040369c2b70208816d275004026b6103020e04026c680204823d05016c07021a02021101020e0501770f020f0502c2b70204815404026d61020482310502200302140501650102080501700204822904026e6101020e0501640204817f0501670204810805016b02022c02020b04020b04020b04020b050173020481260d02150501790204820b0502c2b702048120040273650204817904027469020482180502c2b70208625254320202410304100701024101040709010209020241040241040279730f021203036261730204817804026568020481140501720204813b05020b0502c2b702024e02022d04022d04022d04022d04026c650204821b04026f750204814104027569020272030363616c0204823c05021902021001020d05016e0204811f05017407021402020d01020804026861020482020502c2b70f022104026f6d0204821405016e0204814a040374c2b70204814f030364656c020c7b184f1915480501720206816672030365616c02048153040263740204814e040364c2b70204546c02023303021d01023301021401021102023304023304026570020267020246040246040246040246040268690204811504026c6c0202340202130402130402130402130502c2b7020c7c184f19154804026d62020481390502090501650204813705020705016f02023f02021e04021e04021e04021e04026e610206816b270501630f021f040370c2b702026802024704024704024704024704027265020681003e0501730204825d0501760204821f0502c2b7020a812a3f3d3705020c080219040374c2b70204815a04027861020482270303666f720208302f814902040f2f04040f2f04040f2f04040f2f040272650f021d05016f0204812c0d020603046765c2b70204810d040368c2b702025b02023a04023a04023a04023a040275610204810a030368616e01020d01022b02020a04020a04020a04020a050174020661525402024003020f0102400102060302400402400402657202027f0402696e0204811604026f730204823f0402726f0202570202360402360402360402360402747402048236030369626c0204821a040264650206816572040366c2b702023c02021b04021b04021b04021b04026c6c02024b02022a04022a04022a04022a05017402027404036dc2b702026a04026e64020481170501670202370202160402160402160402160502c2b702027701020a08020a04021b04026f6b02026d040373c2b701020b010644413302022303021701022301020901020b02022304022304027468020481700502c2b70202480202270402270402270402270402766503020708020703046b61c2b703020f040265640202530202320402320402320402320501650202660202450402450402450402450501720204825c0402696f02026c040373c2b702022e02020d04020d04020d04020d0402757302026f0402796f0b020c03036c616d0204823005016e020481070402656407021c0202130102100502c2b70206821c120402686f0204823e0402696e02023602021504021504021504021505017603020608020604026c610204822f05016507021b02021201020f0501690202350202140402140402140402140502c2b702024c02022b04022b04022b04022b04026f630204823a05016f02025002022f04022f04022f04022f040374c2b7020275040277610f0210040379c2b70204812403046d61c2b702048232050221030215040262650204813a05020a0402656d02043e7c02021d03020801021d04021d04021d0502c2b701020901043a6202021904021904021904021904026f64020c79184f19154805017202024002021f04021f04021f04021f040270610204821605016c0204822a040379c2b701020506021202020b01020603036e61690206816c2705016d0102070502c2b701020f040263680f0220040364c2b7020681186a040265630204814d0502c2b70204815704026775020481090502c2b702023802021704021704021704021704026b7302022d02020c04020c04020c04020c04026c790204812304026e650204814c04026f770b021104020a0502c2b70204810504027377020481270d0216040379c2b70204820c03036f63610204823b04026465020c7a184f19154804026b6502025202023104023104023104023105017502026e04026c6c0204822e04026d70020482150502c2b70204812e0d020804026e650204815605016c0204812205016e0204814b0502c2b702024602022504022504022503020d01022504026f6b0202510202300402300402300402300402706502068169270402726b0204825a0501790202410202200402200402200402200502c2b7020a312f8149270204102f0404102f0404102f0404102f0402736103020c050174020482400402746f0b020e04027567020259020238040238040238040238050174020481420502c2b702048146040276690206816372040377c2b70b021204020b0303706174020482170402656e0206816a2704026c650204822b0402726f02068161720303726561020481520501640204813d05016d0204813605020605016e0f021e0502c2b70204810104026b650204825b04036cc2b70204817d04026f6d0204812d0d02070501750202580202370402370402370402370501760206816272040373c2b70204825e0402766502048220040379c2b7020242020221040221040221040221030373616b03020d040265720204821e050174020481590502c2b70204817a04036fc2b70204811c040374c2b70204824104027765020481280d0217030374616d07021f0302130402656c0202330202120402120402120402120402686102022a02020903020e01020904020904020905016502027e0501720202560202350402350402350402350502c2b702048171040269620204821904036fc2b70204646602024304024303020f010243040243040370c2b702048238040274700204823703037561670204810b0402676802025a0202390402390402390402390402696c0202730402726c0204817c040373c2b7020270040374c2b70204814303047631c2b70204824804026572020482210502c2b703020808020804026964020681647203037761790f021104026572020481290d0218040268610204605202023f04023f01020503023f04023f0402696c02024a0202290402290402290402290501740204816f04026f7202048259030378616d020482280303796f740b020d05017502048145040373c2b70f02130304c2b7313102048242050333c2b70d021a050335c2b70d0219050261620204813f0601690204825f06016c0f020e06016e020881255b0e0d0214060174020482330602c2b702048150050262610204817706016502044d4802022c04022c04022c04022c060175020271050263610204811e0504130702040c05010407070601680204820106016f020681494c05026578020482260502666f02082f2f814902040e2f04040e2f04040e2f04040e2f0601720204812b0d0405190502686101020c060174020482350502696602023b02021a04021a04021a04021a06016d02026906016e02027601020908020904021a06017301020a010643413302022203021601022201020801020a0202220402220601740202470202260402260402260402260602c2b70204811d01020408020405026b6502026502024404024404024404024406016902026b0601790b020b05026c610204810606016903020508020506016f02064f816c02022e04022e04022e04022e05026d65020639065e0204180604041806040418060404180606016f020c78184f19154806017901020406021102020a01020505026e6101020606016f0204810409021004020905026f6c0204822d06016e0206455e3602022404022404022403020c01022406017002068168270601720204824906017303020b05027072020681607205027265020681351e05020505027365020681584706016f0204811b0502746107021e0302120601650202320202110402110402110402110601680206292e2a0204082e03020d0104082e0404082e0404082e06016f02046366020242040242040242040242050275720204817b05027631020482470502776802045f5202023e04023e01020403023e04023e060169020649812702022804022804022804022806016f020482580502796f020481440309e3818ae38293e381aa06025108025105078ce3818ae382930602500802500606e5a5bde3818d0502170507a7e8a69ae381880602540802540507a8e381a7e8a69a06025308025307058292e695b40602560802560507aee8aa95e7949f0d02160507afe7b791e88cb6050214040a060607090b080a090f0c080d0a0b0b09081509090c0a0d13170e080b070b090c090909060c1415160807090b080a0909080b07080c06080e0607070707120a07080808210709080a1308080712070c08070807090d0809081e1308130c0b0a120906140907071109081b070a0a1408171a0708081308090914130608081210072208130a091312070714070709070d09081309080c12130812080709100b17170c120807110a0607070a080808131308080a080b09090c130608080b08070716130908121b070707130708090b0909080909070a060808090b12080908140808070809090b0b1316061208081809080913070808090a080a09080b17130708090807080a08080807060c0708081306140708081a0b070713060f20120e130606080914190b0f070d0817080706090c09070a121b13080817140708110f0b0f0f0d0c');
INSERT INTO message_terms_data VALUES (2336462209026, X'000004640c30c2a6e38292e695b4e79086060257080257050793e381aae382890602520802520309e5a5bde3818de381a70502180309e686b6e3818ce3818a06024f08024f04089599e38188e381a606024d08024d0507b4e79086e38197060258080258040897a5e381a7e381990d021b0309e79086e38197e381be0602590802590408949fe697a5e381af0d02180408a781e381aee8aa950d02150804afe7b7910502130408b791e88cb6e3818c0502150309e88cb6e3818ce5a5bd0502160408a69ae38188e3828b0602550802550408a898e686b6e3818c06024e08024e0408aa95e7949fe697a50d02170103e3818206040828080408280403e381a806023e08023e0502828a06021808021803018406020f08020f0403e381be06021f08021f03018606020c08020c0403e3819406021c08021c03018806040331080403310403e381a60602130802130502828b06024208024203018a0602240802240403e3829306022b08022b03018c05020601040a1b08040a1b0403e3818a06022a08022a0601a806021a08021a0403e5a5bd05020f03018d0502080102350802350403e381930602450802450601a705021103018f0602050802050403e3828c0602150802150301930602360802360403e381a806024608024603019406020d08020d0403e3819606021d08021d03019606020e08020e0403e3818406021e08021e03019706023b08023b0403e381be06024b08024b03019905020a0104112e0702120104112e0301a606040405080404050403e3818206021708021706018f0602140802140301a70502090102300702110102300403e381990502120802140403e8a69a0602400802400301a806060b260a08060b260a0403e3818606021b08021b0601a706023f08023f050282920602470802470301aa0602260802260403e3828906022d08022d0301ae0d02030403e8aa950d02090301af0502030802070403e7b79105020c0301b90602340802340403e3818d0602440802440301be0604102e0804102e0403e381990604202e0804202e0202828906022708022703018a0602090802090403e3818c06021908021903018b0602330802330403e381b906024308024303018c0602060802060403e381a60602160802160301920602380802380403e695b40602480802480301930602250802250403e381aa06022c08022c0103e5a5bd0502070403e3818d0502100103e686b60602220802220403e3818c060229080229020295990602020802020403e381880602120802120301b40602390802390403e79086060249080249020297a50d04060c0403e381a70d02130601af0d020c02029c880d020e0103e7908606023a08023a0403e3819706024a08024a0202949f0d02050403e697a50d020b0202a7810502020802020403e381ae0d02080601af05020b0202b7910502040403e88cb605020d0103e88cb60502050403e3818c05020e0202a69a0602310802310403e381880602410802410202a8980602210802210403e686b60602280802280202aa950d02040403e7949f0d020a04130f0e11100f0d110d0d090d0e10100d0d0b0a090b090b0b0b0a090b0e0b09080c0b06090b090b090b090b090b110b0b090f0b0b0d0b090a090b06080908090b0b0d0a090b090b090b090b090b08080b0b0a0b090b080806070b0b07080a0806070808080a0b0a0b07');
DELETE FROM message_terms_idx;
INSERT INTO message_terms_idx VALUES (1, X'', 2);
INSERT INTO message_terms_idx VALUES (2, X'', 2);
INSERT INTO message_terms_idx VALUES (3, X'', 2);
INSERT INTO message_terms_idx VALUES (4, X'', 2);
INSERT INTO message_terms_idx VALUES (5, X'', 2);
INSERT INTO message_terms_idx VALUES (6, X'', 2);
INSERT INTO message_terms_idx VALUES (7, X'', 2);
INSERT INTO message_terms_idx VALUES (8, X'', 2);
INSERT INTO message_terms_idx VALUES (9, X'', 2);
INSERT INTO message_terms_idx VALUES (10, X'', 2);
INSERT INTO message_terms_idx VALUES (17, X'', 2);
INSERT INTO message_terms_idx VALUES (17, X'30c2a6e382', 4);
DELETE FROM message_terms_docsize;
INSERT INTO message_terms_docsize VALUES (1, X'0e');
INSERT INTO message_terms_docsize VALUES (2, X'825f');
INSERT INTO message_terms_docsize VALUES (3, X'0e');
INSERT INTO message_terms_docsize VALUES (4, X'46');
INSERT INTO message_terms_docsize VALUES (5, X'17');
INSERT INTO message_terms_docsize VALUES (6, X'58');
INSERT INTO message_terms_docsize VALUES (7, X'20');
INSERT INTO message_terms_docsize VALUES (8, X'46');
INSERT INTO message_terms_docsize VALUES (9, X'13');
INSERT INTO message_terms_docsize VALUES (10, X'14');
INSERT INTO message_terms_docsize VALUES (11, X'11');
INSERT INTO message_terms_docsize VALUES (12, X'46');
INSERT INTO message_terms_docsize VALUES (13, X'1a');
INSERT INTO message_terms_docsize VALUES (14, X'58');
INSERT INTO message_terms_docsize VALUES (15, X'20');
INSERT INTO message_terms_docsize VALUES (16, X'46');
INSERT INTO message_terms_docsize VALUES (17, X'09');
INSERT INTO message_terms_docsize VALUES (18, X'0d');
INSERT INTO message_terms_docsize VALUES (19, X'0f');
INSERT INTO message_terms_docsize VALUES (20, X'46');
INSERT INTO message_terms_docsize VALUES (21, X'09');
INSERT INTO message_terms_docsize VALUES (22, X'0f');
INSERT INTO message_terms_docsize VALUES (23, X'0b');
INSERT INTO message_terms_docsize VALUES (24, X'43');
INSERT INTO message_terms_docsize VALUES (25, X'12');
INSERT INTO message_terms_docsize VALUES (26, X'8250');
DELETE FROM message_terms_config;
INSERT INTO message_terms_config VALUES ('secure-delete', 1);
INSERT INTO message_terms_config VALUES ('version', 4);
INSERT INTO fact_embeddings VALUES ('f_3dqsplguj4pjlrzl', 'embedded', 0.0024873847141861916, X'c0c1f0000754219e54c5f2813241c1bd1f210d19050629d7dff2572ddc0a1b15ec170ae637edd746071e00150cedba15ef00210ed607e9efecf1160b16f2fa1a06e2d71d12f70c0016e1de0819f824edde140a230ffd0cfa0bfdd4e80c0df715fa0901d8f5070312fd01e516f70bfa04faf1e00cfe0018f70cdc1bf7fafaf71e38030b21fa26f6f90f151226fa0808f9fdf2f90fe5eefa14e503001df80ef1170fe602f1fb0003fadde60c1006001a000900fa12f1fdd4172100fdfa0210e206');
INSERT INTO fact_embeddings VALUES ('f_4u723fm3szp4zmrd', 'embedded', 0.002242382150143385, X'6069811dbf2982331af12810ba04afe6dd2739f24312aaefc3d7e9231df508fbde47fdd9ed1318123fd57503c70a35c45b04ec00f20a02f62405effc2b021be01e0ff9020e071b02ef3aef1a00e8e8c31a11ff0d2af9f70a0902e80613e6eaf00dfffaf1e8f30d0007f0f424fbfa20f5e5f020eb1212fe0f20000bf50be6f61af106fedefb05ed05030ef3edf902faff1311fc0df30104071afe0a07fb05ff00f6f30afde80b38f0f616f406edfbeb1cf30211ff130f1701e8ff010412f51800');
INSERT INTO fact_embeddings VALUES ('f_4xgthlc5xlymlogl', 'embedded', 0.0039025985170155764, X'8111c4ce1825d710d6d208aa0df2dc0c2cf9290c1f08e0e50aff02eaeefbee0dfa06f0ecf61608010af907f60df5ea00060d111a1604180c0805fd0ef8e601f403ecf902f91a02011602ecfc020df909fffe140711f1070bf904030415040debfbf9fff60dfa14f3fa0607f201ff04f4f20d000d0dfbfaec05f9ff05f806f3eb050b00fb0500f4f3050f1205000100fbfb07f9f900edfbeffafc0df3f3fa0007f9fbf70504f902f9f9fb0201fe07020500f305fbfe05fafa00fb0000fbf9fbf9');
INSERT INTO fact_embeddings VALUES ('f_awyaul7li36wn6ru', 'embedded', 0.002575546270236373, X'8121d0d173b7f0259cde2faa0013e2ed53f32c301e1b032008fe25ebe5e6ba170219f5d6e0f92a2118061dfb20f0ccf3242c0b1a24f51aea31170e1f00ff1e1527e920141aedfcfc211bd1ffe60a130f19233600100dfd0e13011a0e00100afae3e7ebf923f610fafaf70603f60610f0fc1df3f3f7e906f60a0d0610f11300061d0afaf01700ef0206f30e0a060000fcf00600fafafcf0f9eddd0afcf0faed0a0de3eb1714eddd0607f603ed23ed031000e90af00a1700f3f3f6fafaf6e403fa');
INSERT INTO fact_embeddings VALUES ('f_dh6xhd45pidb7ghb', 'embedded', 0.002456159796565771, X'7ff982220129213133bee0eff8ce1cb3ac3b140aeee608f8e9ee1ffa1cff03f8f71a00c4010a0f1adf06e8f9fdd70118e40a1affd71f02160ad5fe22ffdef8c51f0a10fffa150e1304d9e60dedff02f613bd08e1f7222200d019d609b60721e1090b200a08e4192b00fafe021affddc3fee001f8f63cedf6f50e02fffedd01271bffd7f7e92ae817f8eff600d6e00a2be40924e4121305f90122ed19efd1e7220713f6feeef8f7e7d6e7f5f61907110e0ef90008f7000f0e12fe07f911eeee0f');
INSERT INTO fact_embeddings VALUES ('f_ef37expwa6aa22xr', 'embedded', 0.004452923778444529, X'8126ddb115f912d7fd0013d3f6efff021c08f7f01d19f0f60501fc03fff5000110020d0008eeff0c0919f003f008fd08fb0803f3160000f0ed1cf3fb08f31005fd05f3f80101fb00fefbf005fe0ef0ff000008ed00f6030605e4f60afbfb020a080202f8f80c1900ee030007f81512e9fb0000000be6050505fbf00b0a0df3fe080a0a051008f6f600fbf6f40df60afa03f3fdfbf8fe0502000a020000fe050500e90003fb0d0df6f603eafb05f60afbfd08ff0000f3f10500fb0005f8fbf805');
INSERT INTO fact_embeddings VALUES ('f_t4vvn25u7wyvey2a', 'embedded', 0.0033453558571636677, X'81d9c9aa25e93107fafb31ac05f62a070cf600db0704d5fcee14eef9e9e2eb03daf82702f3e01e0e0bf8fffc16f2fe19ea0a0404090deae4fe0d12050e08f30af9f10b0ffff6160fe7ebf3180901ef030108160221ee0e15fcf7fcee19ef080afbf411fe10f00900fff319e0180ef2edf7faf9f820f007f519d5fb1706fbd3040d0d1111fbf7ef04f309ebeb02fa12f4fefbeef30808fffa0608fa070df4061909eff8ff04e50df8ee09fafcff180e1704ebec010608f5fb0700eb08ef0009f8');
INSERT INTO fact_embeddings VALUES ('f_vs5pvllm5ll2msof', 'embedded', 0.0020287237130105495, X'd90a63b72a1da108de810dca08d53ae7611da556dadc0cbb04f507b94c00debf69e340090fe3181af5cd21dff024fc0bec100907162af2fcf7eeb91040f01640fa0ffee53e2822f9e804d1e3e63c161bd40b0409f5240c02da0010220d2fe3e1c40ddf10de0b00240ce6cf140f41fe371b38f32edf1ff7dbdf16ead114dc0000fe3ae8d4162518f3160be50f250bf3f3020bfe18f7daee00020bdb110ff50709d40002dc0b0c240de80016f51f0018f5020002ea09f3211ddc0d31eadcf40b00');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES ('turns', 13);
INSERT INTO sqlite_sequence VALUES ('messages', 26);
INSERT INTO sqlite_sequence VALUES ('changes', 12);
