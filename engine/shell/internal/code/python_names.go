package code

import "sync"

// pythonBuiltins are functions of the language that compute only.
var pythonBuiltins = setOf("abs all any ascii bin bool bytearray bytes callable chr complex dict " +
	"divmod enumerate exit filter float format frozenset hasattr hash hex id int isinstance " +
	"issubclass iter len list map max min next oct ord pow print property quit range repr " +
	"reversed round set slice sorted staticmethod str sum tuple xrange zip unicode unichr " +
	"long cmp intern Ellipsis NotImplemented __name__ __file__ __doc__ ArithmeticError " +
	"AssertionError AttributeError BaseException EOFError Exception FileExistsError " +
	"FileNotFoundError ImportError IndexError IOError IsADirectoryError KeyboardInterrupt " +
	"KeyError LookupError MemoryError ModuleNotFoundError NameError NotADirectoryError " +
	"NotImplementedError OSError OverflowError PermissionError RecursionError RuntimeError " +
	"StopIteration SyntaxError SystemExit TypeError UnicodeDecodeError UnicodeEncodeError " +
	"UnicodeError ValueError Warning ZeroDivisionError")

// pythonOthers are the other functions of the language, of all its versions.
var pythonOthers = setOf("aiter anext apply async await basestring breakpoint buffer class " +
	"classmethod coerce compile copyright credits delattr dir eval exec execfile file getattr " +
	"globals help input license locals match case memoryview object open raw_input reduce reload " +
	"setattr super type_check vars")

// pythonAttributes are attributes of values, and functions of modules, that compute only. None of
// them is a function of a module in the table that does more.
var pythonAttributes = setOf("append extend insert remove pop clear index count sort reverse " +
	"copy keys values items get setdefault update popitem fromkeys add discard union " +
	"intersection difference symmetric_difference issubset issuperset isdisjoint split rsplit " +
	"splitlines join strip lstrip rstrip replace startswith endswith find rfind rindex lower " +
	"upper title capitalize casefold swapcase center ljust rjust zfill format encode decode " +
	"isdigit isalpha isalnum isspace isupper islower isnumeric isdecimal isidentifier istitle " +
	"partition rpartition removeprefix removesuffix expandtabs translate hex bit_length to_bytes " +
	"from_bytes real imag is_integer read readline readlines write writelines close flush seek " +
	"tell buffer group groups groupdict start end span pattern string lastgroup match search " +
	"findall finditer fullmatch sub subn year month day hour minute second microsecond weekday " +
	"isoweekday isoformat strftime strptime timestamp timetuple now utcnow today fromtimestamp " +
	"utcfromtimestamp fromisoformat date time total_seconds days seconds tzinfo utc utcoffset " +
	"astimezone most_common elements subtract appendleft popleft rotate maxlen hexdigest digest " +
	"name args message code errno strerror msg lineno offset st_size st_mtime __version__ " +
	"__name__ __doc__ version VERSION __file__ __path__ get_version stat scheme netloc path " +
	"query fragment hostname port params username writerow writerows fieldnames line_num resolve " +
	"absolute suffix stem suffixes parts as_posix exists is_file is_dir is_absolute " +
	"body names id decorator_list targets end_lineno")

// recordAttributes are attributes of tables and records of Django that touch no files.
var recordAttributes = setOf("objects all filter exclude get first last count exists values " +
	"values_list order_by distinct aggregate annotate select_related prefetch_related latest " +
	"earliest only defer in_bulk create get_or_create update_or_create bulk_create update delete " +
	"save refresh_from_db set_password check_password create_user create_superuser DoesNotExist " +
	"pk id name email username title status slug user is_active is_staff is_superuser created " +
	"created_at updated_at DEBUG INSTALLED_APPS MIDDLEWARE LANGUAGE_CODE TIME_ZONE ALLOWED_HOSTS")

// pythonModules are the functions and values of modules that compute only. Attributes of what
// those return must be in pythonAttributes.
var pythonModules = sync.OnceValue(func() map[string]map[string]bool {
	return tableOf(`
json: loads load dumps dump JSONDecodeError
sys: argv path version version_info platform stdin stdout stderr exit executable maxsize byteorder
  getsizeof getrecursionlimit getdefaultencoding hexversion implementation prefix base_prefix
  setrecursionlimit maxunicode api_version
os: getcwd environ getenv sep linesep name cpu_count getpid listdir uname getlogin pathsep walk stat
  getuid geteuid getloadavg
os.path: exists isfile isdir join basename dirname abspath getsize splitext relpath getmtime
  normpath expanduser islink realpath split sep
re: compile match search findall finditer fullmatch sub subn split escape error I M S X A
  IGNORECASE MULTILINE DOTALL VERBOSE ASCII
math: acos asin atan atan2 ceil comb copysign cos degrees dist e exp fabs factorial floor fmod gcd
  hypot inf isclose isfinite isinf isnan isqrt lcm log log10 log1p log2 nan perm pi pow prod
  radians remainder sin sqrt tan tau trunc
statistics: mean median mode stdev pstdev variance pvariance fmean geometric_mean harmonic_mean
  quantiles multimode
random: random randint randrange choice choices sample shuffle uniform seed gauss getrandbits
string: ascii_letters ascii_lowercase ascii_uppercase digits hexdigits punctuation printable
  whitespace capwords
textwrap: wrap fill dedent indent shorten
time: time sleep perf_counter monotonic process_time strftime gmtime localtime time_ns ctime
  perf_counter_ns
datetime: datetime date time timedelta timezone UTC
calendar: month monthrange isleap timegm day_name month_name
collections: Counter defaultdict OrderedDict deque namedtuple ChainMap
itertools: chain combinations permutations product count cycle repeat islice groupby accumulate
  zip_longest starmap takewhile dropwhile tee compress pairwise batched
functools: reduce partial lru_cache cache cmp_to_key
heapq: heappush heappop heapify nlargest nsmallest
bisect: bisect bisect_left bisect_right insort
decimal: Decimal getcontext ROUND_HALF_UP
fractions: Fraction
hashlib: md5 sha1 sha224 sha256 sha384 sha512 blake2b blake2s sha3_256 sha3_512 new
hmac: new compare_digest
secrets: token_hex token_urlsafe token_bytes randbelow choice
base64: b64encode b64decode urlsafe_b64encode urlsafe_b64decode b32encode b32decode b16encode
binascii: hexlify unhexlify crc32
zlib: compress decompress crc32 adler32
struct: pack unpack calcsize unpack_from iter_unpack
uuid: uuid3 uuid4 uuid5 UUID NAMESPACE_DNS NAMESPACE_URL
unicodedata: name normalize category lookup
difflib: unified_diff ndiff SequenceMatcher get_close_matches
html: escape unescape
urllib.parse: quote unquote quote_plus unquote_plus urlencode urlparse urlsplit urljoin parse_qs
  parse_qsl urlunparse
pprint: pprint pformat pp
csv: reader writer DictReader DictWriter QUOTE_ALL QUOTE_MINIMAL
ast: parse dump literal_eval walk iter_child_nodes get_docstring unparse FunctionDef
  AsyncFunctionDef ClassDef Import ImportFrom Assign Call Name Attribute Constant Module Return
copy: copy deepcopy
io: StringIO BytesIO
platform: system machine python_version node release version python_implementation
shutil: which disk_usage get_terminal_size
sysconfig: get_paths get_path get_platform
site: getsitepackages getusersitepackages USER_SITE
importlib.metadata: version PackageNotFoundError requires
ssl: OPENSSL_VERSION
sqlite3: sqlite_version
socket: gethostname
getpass: getuser
locale: getlocale getpreferredencoding
traceback: print_exc format_exc
warnings: filterwarnings simplefilter
tomllib: load loads
toml: loads dumps
yaml: safe_load safe_load_all safe_dump YAMLError
glob: glob iglob
fnmatch: fnmatch filter
pathlib: Path PurePath
typing: Any List Dict Optional Tuple Set Union
operator: itemgetter add mul sub
xml.etree.ElementTree: fromstring ParseError
tensorflow: version
django: get_version VERSION
django.conf: settings
django.contrib.auth: get_user_model
django.contrib.auth.models: User Group Permission
django.db.models: Avg Count F Max Min Q Sum
django.utils.timezone: now
`)
})

// pathMethods are methods of Path, and of the modules that some names stand for, with what they do
// with the file.
var pathMethods = map[string]string{"read_text": "r", "read_bytes": "r", "write_text": "w",
	"write_bytes": "w", "open": "rw", "touch": "w", "unlink": "w"}

// pythonTells are attributes of modules that are in no table: their versions, and whether there is
// a device.
var pythonTells = setOf("__version__ __name__ __doc__ version VERSION __file__ __path__ " +
	"get_version cuda is_available device_count")
