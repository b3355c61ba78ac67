package fetch

import "slices"

// A Set is a data set that can be downloaded.
type Set struct {
	Name  string
	Title string
	Terms string   // terms of use, as the home of the set states them
	Reads []string // specs that package dataset reads, below the folder

	files  []file
	unpack func(dir string, files []string) (names []string, err error) // nil: the files are used as they are
}

// A file is a part of a set.
type file struct {
	name  string
	size  int64  // 0 where it is not known
	sum   string // sha256 in hex, or md5:… where nothing better is published
	homes []string
}

// Bytes returns the size of the download, as far as it is known.
func (s *Set) Bytes() (n int64) {
	for _, f := range s.files {
		n += f.size
	}
	return n
}

// Sets returns the data sets, by name.
func Sets() []*Set { return slices.Clone(sets) }

// idx are the four files of MNIST and its likes.
func idx(homes []string, sizes [4]int64, sums [4]string) (files []file) {
	for k, name := range []string{"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"} {
		f := file{name: name, size: sizes[k], sum: sums[k]}
		for _, h := range homes {
			f.homes = append(f.homes, h+name)
		}
		files = append(files, f)
	}
	return files
}

var idxReads = []string{"train-images-idx3-ubyte.gz", "t10k-images-idx3-ubyte.gz"}

var sets = []*Set{
	{
		Name: "mnist", Title: "MNIST: handwritten digits, 60 000 and 10 000 images of 28×28", Terms: "LeCun, Cortes and Burges; no formal licence", Reads: idxReads,
		files: idx([]string{"https://ossci-datasets.s3.amazonaws.com/mnist/", "https://storage.googleapis.com/cvdf-datasets/mnist/"},
			[4]int64{9912422, 28881, 1648877, 4542},
			[4]string{
				"440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609", "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
				"8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6", "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
			}),
	},
	{
		Name: "fashion-mnist", Title: "Fashion-MNIST: clothes, 60 000 and 10 000 images of 28×28", Terms: "Zalando Research, MIT licence", Reads: idxReads,
		files: idx([]string{"https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/", "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"},
			[4]int64{26421880, 29515, 4422102, 5148},
			[4]string{
				"3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84", "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
				"346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073", "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
			}),
	},
	{
		Name: "usps", Title: "USPS: handwritten digits, 7291 and 2007 images of 16×16", Terms: "Hull; no formal licence",
		Reads: []string{"usps-train-images-idx3-ubyte.gz", "usps-test-images-idx3-ubyte.gz"},
		files: []file{
			{name: "usps.bz2", sum: "md5:ec16c51db3855ca6c91edd34d0e9b197", homes: []string{"https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass/usps.bz2"}},
			{name: "usps.t.bz2", sum: "md5:8ea070ee2aca1ac39742fdd1ef5ed118", homes: []string{"https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass/usps.t.bz2"}},
		},
		unpack: convertUSPS,
	},
	{
		Name: "cifar10", Title: "CIFAR-10: photographs of 10 classes, 50 000 and 10 000 images of 32×32", Terms: "Krizhevsky; no formal licence",
		Reads: []string{"data_batch_1.bin", "test_batch.bin"},
		files: []file{{
			name: "cifar-10-binary.tar.gz", size: 170052171, sum: "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
			homes: []string{"https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"},
		}},
		unpack: untar,
	},
	{
		Name: "cifar100", Title: "CIFAR-100: photographs of 100 classes, 50 000 and 10 000 images of 32×32", Terms: "Krizhevsky; no formal licence",
		Reads: []string{"train.bin", "test.bin"},
		files: []file{{
			name: "cifar-100-binary.tar.gz", size: 168513733, sum: "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec",
			homes: []string{"https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz"},
		}},
		unpack: untar,
	},
}
